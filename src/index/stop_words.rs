//! English words that say nothing about what a text is about.

/// Whether a lower-case word without apostrophes is one.
pub(super) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// Sorted. Question words, pronouns and auxiliaries are in it because a question put to a store must
/// not be answered for its "what did we do about".
const STOP_WORDS: [&str; 164] = [
    "a", "about", "after", "again", "all", "also", "am", "an", "and", "any", "anything", "are", "arent", "as", "at",
    "be", "because", "been", "before", "being", "both", "but", "by", "can", "cannot", "cant", "could", "couldnt",
    "did", "didnt", "do", "does", "doesnt", "doing", "dont", "during", "each", "either", "else", "ever", "few", "for",
    "from", "had", "hadnt", "has", "hasnt", "have", "havent", "having", "he", "her", "here", "hers", "him", "his",
    "how", "i", "id", "if", "ill", "im", "in", "into", "is", "isnt", "it", "its", "itself", "ive", "just", "lets",
    "many", "may", "me", "might", "more", "most", "much", "must", "my", "myself", "neither", "no", "nor", "not", "now",
    "of", "on", "once", "only", "or", "other", "our", "ours", "own", "per", "please", "same", "she", "should",
    "shouldnt", "so", "some", "such", "than", "that", "thats", "the", "their", "theirs", "them", "then", "there",
    "theres", "these", "they", "theyre", "this", "those", "through", "to", "too", "under", "until", "upon", "us",
    "very", "via", "was", "wasnt", "we", "well", "were", "werent", "weve", "what", "whats", "when", "where", "wheres",
    "whether", "which", "while", "who", "whom", "whose", "why", "will", "with", "within", "without", "wont", "would",
    "wouldnt", "yet", "you", "youd", "youll", "your", "youre", "yours", "yourself", "youve",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        assert!(STOP_WORDS.is_sorted());
        assert!(is_stop_word("dont"));
        assert!(is_stop_word("a"));
        assert!(is_stop_word("youve"));
        assert!(!is_stop_word("index"));
    }
}

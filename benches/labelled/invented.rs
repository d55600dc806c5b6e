//! A small invented store, for who has no labels at hand: it shows that a program works and is no measure
//! of anything. Each session is one trouble with one part of a program, asked for in three ways.

use super::store::{Question, Store, Talk};

/// A part of a program and what else it is called.
const PARTS: [(&str, &str); 8] = [
    ("login token", "session cookie"),
    ("invoice export", "billing report"),
    ("thumbnail cache", "image previews"),
    ("search index", "full text lookup"),
    ("retry queue", "background jobs"),
    ("schema migration", "database upgrade"),
    ("webhook signature", "callback verification"),
    ("release pipeline", "deployment script"),
];

/// What is wrong with it, how that is said otherwise, and what the reason was.
const TROUBLES: [(&str, &str, &str); 5] = [
    (
        "expires too early",
        "is gone after an hour",
        "the clock was read in local time",
    ),
    (
        "loses the last row",
        "drops the final entry",
        "the loop ended one before its end",
    ),
    (
        "is slow on large accounts",
        "takes minutes for big customers",
        "it asked the server for every item",
    ),
    (
        "fails with a timeout",
        "hangs until it is cut off",
        "a lock was held while it waited for the network",
    ),
    (
        "shows the wrong language",
        "ignores the locale",
        "the header was parsed once for all users",
    ),
];

/// Questions of another field.
pub(crate) const FOREIGN: [&str; 12] = [
    "how much water does a sourdough with rye flour need",
    "which tomatoes grow on a shady balcony",
    "how do I tune a violin that has stood in the cold",
    "what did grandmother put into her plum cake",
    "when do the swallows leave for the south",
    "how far can a beginner cycle on a first tour",
    "what is the best clay for a tall vase",
    "why do my knitted sleeves come out too wide",
    "which knot holds a tent in a storm",
    "how often should a horse be shod",
    "where did we see the lighthouse on our honeymoon",
    "how long do you roast chestnuts in an oven",
];

/// The store and its questions.
pub(crate) fn store() -> Store {
    let (mut talks, mut questions) = (Vec::new(), Vec::new());
    for (p, (part, alias)) in PARTS.iter().enumerate() {
        for (t, (trouble, otherwise, reason)) in TROUBLES.iter().enumerate() {
            let id = format!("part-{p}-trouble-{t}");
            let (near, _) = PARTS[(p + t + 1) % PARTS.len()];
            let said = [
                format!("the {part} {trouble}, can you find out why"),
                format!("I look at the {part} and at the {near} that calls it"),
                format!("a customer says that the {alias} {otherwise}"),
                format!("found it: {reason}. I mend the {part} and add a test; the {near} is as it was"),
            ];
            talks.push(Talk {
                id: id.clone(),
                at: 1_793_613_600_000 + (p * 7 + t) as u64 * 86_400_000,
                turns: said
                    .into_iter()
                    .enumerate()
                    .map(|(n, text)| (n % 2 == 0, text))
                    .collect(),
            });
            for text in [
                format!("why the {part} {trouble}"),
                format!("{alias} {otherwise}"),
                format!("the {part} again: {reason}"),
            ] {
                questions.push(Question {
                    text,
                    right: [id.parse().expect("an id")].into(),
                    need: Some(id.clone()),
                    otherwise: Vec::new(),
                });
            }
        }
    }
    Store::of_talks(&talks, questions)
}

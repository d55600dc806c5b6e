use clap::builder::{PossibleValuesParser, TypedValueParser};
use jiff::tz::TimeZone;
use regex_lite::Regex;
use rekal::capture::index_of;
use rekal::index::Index;
use rekal::recall::{self, Ask, Filter, Reason, Verdict};
use rekal::session::{Actor, Harness};
use rekal::time::Millis;

use crate::answer::{Failure, Outcome};
use crate::call::Call;
use crate::place::Place;
use crate::reply::{self, Reply};
use crate::when::{self, When};

/// Find the sessions that answer a question; filters alone list the newest
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: rekal recall -n 5 --since 30d \"jwt expiry\"")]
pub struct Recall {
    /// What to look for; several words are joined
    pub query: Vec<String>,
    /// At most so many results
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub limit: usize,
    /// Show what each layer of the ranking gave
    #[arg(short, long)]
    pub explain: bool,
    #[command(flatten)]
    pub filters: Filters,
}

/// What a session must be like; all of it.
#[derive(clap::Args, Debug)]
pub struct Filters {
    /// A tool touched a file whose path matches this regular expression
    #[arg(short = 'p', long, value_name = "REGEX")]
    pub file: Option<Regex>,
    /// Captured at this commit; its first digits do
    #[arg(short, long, value_name = "SHA")]
    pub commit: Option<String>,
    /// Captured by this author
    #[arg(short, long, value_name = "MAIL")]
    pub author: Option<String>,
    /// Who asked
    #[arg(short = 'A', long, value_parser = actor())]
    pub actor: Option<Actor>,
    /// Which agent answered
    #[arg(long, value_parser = harness())]
    pub harness: Option<Harness>,
    /// Started then or later: 12h, 30d, 8w, 2026-11-02
    #[arg(long, value_name = "WHEN")]
    pub since: Option<When>,
    /// Started then or earlier; a day counts as a whole
    #[arg(long, value_name = "WHEN")]
    pub until: Option<When>,
}

impl Recall {
    /// The query as one text. `None`: no word was given, which is not the same as a blank one.
    pub fn query(&self) -> Option<String> {
        (!self.query.is_empty()).then(|| self.query.join(" "))
    }
}

impl Recall {
    /// Prints the answer.
    pub fn run(self, call: &Call) -> Outcome {
        reply::print(&self.reply(call)?, call)
    }

    /// Answers, without recording it.
    pub fn reply(self, call: &Call) -> Result<Recalled, Failure> {
        let query = self.query();
        if query.is_none() && self.filters.is_empty() {
            return Err(Failure::usage("recall: say what to look for, or give a filter"));
        }
        let place = call.place()?;
        let (answer, nothing_is_captured) = self.answer(call, &place)?;
        Ok(Recalled {
            answer,
            nothing_is_captured,
            is_filtered: !self.filters.is_empty(),
            place,
        })
    }

    /// The answer, and whether there is a published index without any session.
    fn answer(&self, call: &Call, place: &Place) -> Result<(recall::Answer, bool), Failure> {
        let query = self.query();
        if !place.dir.is_dir() {
            return Ok((recall::Answer::silence(query, Reason::NoStore), false));
        }
        let Some(index) = Index::open(&index_of(&place.dir))? else {
            return Ok((recall::Answer::silence(query, Reason::NoIndex), false));
        };
        let mut weights = call.weights(place);
        if call.env.bench {
            (weights.reach_boost, weights.intent_boost) = (0.0, 0.0);
        }
        let ask = Ask {
            query: query.unwrap_or_default(),
            limit: self.limit,
            explain: self.explain,
            exclude: call.env.source.clone(),
            filter: self.filters.resolve()?,
        };
        let answer = recall::recall(&index, call.reached(place).as_ref(), &ask, &weights)?;
        Ok((answer, index.sessions().len() == 0))
    }
}

/// What a recall comes to.
pub struct Recalled {
    answer: recall::Answer,
    nothing_is_captured: bool,
    is_filtered: bool,
    place: Place,
}

impl Reply for Recalled {
    fn is_yes(&self) -> bool {
        !self.answer.is_silence()
    }

    fn text(&self) -> String {
        recall::digest(&self.answer)
    }

    fn json(&self) -> Result<String, Failure> {
        Ok(recall::json(&self.answer))
    }

    fn advice(&self) -> Option<String> {
        let Verdict::Silence(reason) = self.answer.verdict else {
            return None;
        };
        let asks = self
            .answer
            .query
            .as_deref()
            .is_some_and(|query| !query.trim().is_empty());
        let advice = match reason {
            _ if self.nothing_is_captured => {
                "no session is captured here yet; run `rekal checkpoint`, with --all for those of every folder"
            }
            Reason::NoResults if !asks => "no session passes the filters",
            Reason::NoResults if self.is_filtered => {
                "no session that passes the filters holds these words; try without a filter"
            }
            reason => reason.advice(),
        };
        Some(advice.to_owned())
    }

    fn record(&self, call: &Call) {
        let shown = self.answer.shown();
        if shown.is_empty() {
            return;
        }
        let query = self.answer.query.as_deref().unwrap_or_default();
        call.record(&self.place, |recorder, at, source| {
            recorder.recalled(at, source, query, &shown);
        });
    }
}

impl Filters {
    /// Whether no filter was given.
    pub fn is_empty(&self) -> bool {
        let texts = self.commit.is_none() && self.author.is_none() && self.file.is_none();
        let times = self.since.is_none() && self.until.is_none();
        texts && times && self.actor.is_none() && self.harness.is_none()
    }

    fn resolve(&self) -> Result<Filter, Failure> {
        let (now, zone) = (when::now(), TimeZone::system());
        let out_of_range = || Failure::usage("recall: --since or --until names a time that no clock shows");
        let at = |when: Option<When>, read: fn(When, Millis, &TimeZone) -> Option<Millis>| {
            when.map(|when| read(when, now, &zone).ok_or_else(out_of_range))
                .transpose()
        };
        Ok(Filter {
            file: self.file.clone(),
            commit: self.commit.clone(),
            author: self.author.clone(),
            actor: self.actor,
            harness: self.harness,
            since: at(self.since, When::since)?,
            until: at(self.until, When::until)?,
        })
    }
}

fn actor() -> impl TypedValueParser<Value = Actor> {
    one_of(&[Actor::Human, Actor::Agent], Actor::as_str)
}

fn harness() -> impl TypedValueParser<Value = Harness> {
    one_of(&Harness::ALL, Harness::as_str)
}

/// A parser of the names of `all`.
pub fn one_of<T>(all: &'static [T], name: fn(T) -> &'static str) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync,
{
    let names = all.iter().map(|value| name(*value));
    PossibleValuesParser::new(names).try_map(move |text| {
        let named = all.iter().copied().find(|value| name(*value) == text);
        named.ok_or("no such name")
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser, Debug)]
    struct Line {
        #[command(flatten)]
        recall: Recall,
    }

    fn read(words: &[&str]) -> Result<Recall, clap::error::ErrorKind> {
        Line::try_parse_from(["recall"].iter().chain(words))
            .map(|line| line.recall)
            .map_err(|error| error.kind())
    }

    #[test]
    fn words_are_joined_and_a_blank_one_counts() {
        let recall = read(&["jwt", "expiry"]).expect("read");
        assert_eq!(recall.query().as_deref(), Some("jwt expiry"));
        assert_eq!((recall.limit, recall.explain), (20, false));
        assert!(recall.filters.is_empty());
        assert_eq!(read(&[""]).expect("read").query().as_deref(), Some(""));
        assert_eq!(read(&["-e"]).expect("read").query(), None);
    }

    #[test]
    fn every_filter_is_read() {
        let words = "-p src/.*rs -c abc1 -a a@b -A agent --harness codex --since 30d --until 2026-11-02";
        let words: Vec<&str> = words.split(' ').collect();
        let filters = read(&words).expect("read").filters;
        assert!(!filters.is_empty());
        assert!(filters.file.expect("a pattern").is_match("src/main.rs"));
        assert_eq!(filters.commit.as_deref(), Some("abc1"));
        assert_eq!(filters.author.as_deref(), Some("a@b"));
        assert_eq!(filters.actor, Some(Actor::Agent));
        assert_eq!(filters.harness, Some(Harness::Codex));
        assert_eq!(filters.since, Some(When::Ago(2_592_000_000)));
        assert_eq!(filters.until, Some("2026-11-02".parse().expect("a day")));
    }

    #[test]
    fn a_limit_is_a_count() {
        assert_eq!(read(&["-n", "0", "jwt"]).expect("read").limit, 0);
        assert_eq!(read(&["-n", "1000000", "jwt"]).expect("read").limit, 1_000_000);
        for bad in [
            ["-n", "-1"],
            ["-n", "many"],
            ["-A", "robot"],
            ["--since", "soon"],
            ["-p", "("],
        ] {
            assert!(read(&bad).is_err(), "{bad:?}");
        }
    }
}

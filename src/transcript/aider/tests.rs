//! What a history of Aider says.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::Path;

use jiff::tz::{Offset, TimeZone};

use super::super::read::{Reading, read_from};
use super::super::tests::{Home, done, found, told};
use super::super::{AIDER_HISTORY, Found};
use crate::session::Harness;
use crate::session::Role::{Assistant, Human};

const HISTORY: &str = r##"
# aider chat started at 2026-01-02 01:00:00

> Command Line Args:   --verbose
Config File (/w/.aider.conf.yml):
  read: notes.md

Defaults:

#### /add a.rs  
> Added a.rs to the chat  

#### fix the parser  
####   
#### and keep its name  

I change it:

##### The change

a.rs
```rust
// #### no question
> no output
# aider chat started at 2020-01-01 00:00:00
```

> quoted by the program
and more of it
```

So it is.

> Tokens: 2k sent  
> Applied edit to a.rs  
> Commit 5ee830b fix: the "parser"  
    and its tail
> Running cargo test  
> Added 3 lines of output to the chat.  

#### /ask what does it do?  

#### what does it do?  

It parses:

```
fn a() {

> ^C again to exit  

> Commit the rest? (Y)es/(N)o [Yes]: n  

#### /etc/hosts is wrong  

#### !rekal jwt  

#### /git status  

#### /undo  

#### <blank>  

# aider chat started at 2026-01-02 02:00:00

> Aider v0.86.2  

# aider chat started at 2026-01-02 03:00:00

#### write it down  

Here:

````markdown
```
broken off

# aider chat started at 2026-01-02 03:00:00

#### once more  

Done.
"##;

fn history(path: &Path, zone: Option<TimeZone>) -> Found {
    Found {
        path: path.into(),
        harness: Harness::Aider,
        size: 0,
        modified: 0,
        zone,
    }
}

fn all(text: &str) -> Vec<Reading> {
    let found = history(Path::new("/w/.aider.chat.history.md"), None);
    read_from(&mut Cursor::new(text), &found, None).expect("readings")
}

#[test]
fn each_chat_is_a_session_with_the_words_of_both() {
    let all = all(HISTORY);
    assert_eq!(all.len(), 3);
    let answer = "I change it:\n\n##### The change\n\na.rs\n```rust\n// #### no question\n> no output\n\
        # aider chat started at 2020-01-01 00:00:00\n```";
    assert_eq!(
        told(&all[0]),
        [
            (Human, "fix the parser\n\nand keep its name"),
            (Assistant, answer),
            (Assistant, "So it is."),
            (Human, "what does it do?"),
            (Assistant, "It parses:\n\n```\nfn a() {"),
            (Human, "/etc/hosts is wrong"),
        ]
    );
    assert_eq!(
        done(&all[0].tool_calls),
        [
            (0, "add", Some("a.rs"), None),
            (3, "edit", Some("a.rs"), None),
            (3, "commit", None, Some("git commit -m \"fix: the \\\"parser\\\"\"")),
            (3, "run", None, Some("cargo test")),
            (6, "run", None, Some("rekal")),
            (6, "run", None, Some("git status")),
        ]
    );
    assert_eq!(
        told(&all[1]),
        [
            (Human, "write it down"),
            (Assistant, "Here:\n\n````markdown\n```\nbroken off")
        ]
    );
    assert_eq!(told(&all[2]), [(Human, "once more"), (Assistant, "Done.")]);
    let session = all[0].session.as_ref().expect("a session");
    assert_eq!((session.harness, session.cwd.as_deref()), (Harness::Aider, Some("/w")));
}

#[test]
fn a_chat_is_known_by_its_file_and_its_time_and_no_other_time_is_made_up() {
    let ids = |readings: &[Reading]| -> Vec<String> {
        let sessions = readings.iter().filter_map(|reading| reading.session.as_ref());
        sessions.map(|session| session.id.as_str().to_owned()).collect()
    };
    let before = all(HISTORY);
    let names = ids(&before);
    assert_eq!(names[0], "aider-25fd128cbb635eb8");
    assert_ne!(names[1], names[2], "the same second");
    let cut = HISTORY
        .find("# aider chat started at 2026-01-02 03")
        .expect("a heading");
    assert_eq!(ids(&all(&HISTORY[cut..])), names[1..]);
    let times: Vec<_> = before[0].turns.iter().map(|turn| turn.at).collect();
    assert_eq!(times[..2], [Some(1_767_315_600_000), None]);
    let elsewhere = history(
        Path::new("/w/.aider.chat.history.md"),
        Some(TimeZone::fixed(Offset::constant(2))),
    );
    let readings = read_from(&mut Cursor::new(HISTORY), &elsewhere, None).expect("readings");
    assert_eq!(readings[0].turns[0].at, Some(1_767_308_400_000));
    assert_eq!(ids(&readings), names);
}

/// What is known of each session after the history was read at these lengths.
fn grown(lengths: &[usize]) -> BTreeMap<String, String> {
    let found = history(Path::new("/w/.aider.chat.history.md"), None);
    let (mut known, mut position) = (BTreeMap::new(), None);
    for length in lengths {
        let file = &mut Cursor::new(&HISTORY.as_bytes()[..*length]);
        let readings = read_from(file, &found, position.as_ref()).expect("readings");
        for reading in readings {
            if let Some(session) = &reading.session {
                let said = format!("{session:?} {:?} {:?}", reading.turns, reading.tool_calls);
                known.insert(session.id.as_str().to_owned(), said);
            }
            position = Some(reading.position);
        }
    }
    known
}

#[test]
fn a_history_that_grows_reads_as_if_read_once() {
    let whole = grown(&[HISTORY.len()]);
    assert_eq!(whole.len(), 3);
    for length in 0..HISTORY.len() {
        assert_eq!(grown(&[length, HISTORY.len()]), whole, "{length}");
    }
}

#[test]
fn only_what_is_new_is_read_and_the_chats_before_stay() {
    let home = Home::new();
    let path = home.write(AIDER_HISTORY, HISTORY);
    let first = super::super::read(&found(&path, Harness::Aider), None).expect("readings");
    home.write(
        AIDER_HISTORY,
        format!("{HISTORY}\n# aider chat started at 2026-01-03 00:00:00\n\n#### next  \n"),
    );
    let last = first.last().map(|reading| &reading.position);
    let second = super::super::read(&found(&path, Harness::Aider), last).expect("readings");
    let said: Vec<_> = second.iter().map(told).collect();
    assert_eq!(
        said,
        [vec![(Human, "once more"), (Assistant, "Done.")], vec![(Human, "next")]]
    );
    assert_eq!(first[2].session, second[0].session);
}

#[test]
fn what_is_no_history_is_no_session_and_its_lines_are_counted() {
    let none = all("notes\n\n#### a question\n");
    assert_eq!((none.len(), none[0].session.is_none(), none[0].skipped), (1, true, 2));
    let other = history(Path::new("/w/history.md"), None);
    let text = format!("notes\n{HISTORY}");
    let readings = read_from(&mut Cursor::new(&text), &other, None).expect("readings");
    let skipped: Vec<_> = readings.iter().map(|reading| reading.skipped).collect();
    assert_eq!(skipped, [0, 0, 1]);
    assert_eq!(readings[0].session.as_ref().expect("a session").cwd, None);
}

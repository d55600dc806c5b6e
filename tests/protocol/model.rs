//! Two writers, two drains and the files between them, a system call a step.

/// How often a writer opens the spool before it makes a claim of its own.
const ROUNDS: u8 = 2;

/// How often each of the two drains runs again, as another process.
const AGAIN: [u8; 2] = [1, 0];

/// An event; writer n writes event n.
type Id = usize;

/// An inode.
type File = u8;

/// Some of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Files(u16);

impl Files {
    fn add(&mut self, file: File) {
        self.0 |= 1 << file;
    }

    fn remove(&mut self, file: File) {
        self.0 &= !(1 << file);
    }

    fn list(self) -> Vec<File> {
        (0..16).filter(|file| self.0 & 1 << file != 0).collect()
    }
}

/// What the protocol consists of, each part of which can be taken out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Protocol {
    /// Writers lock the spool shared, and drains a claim exclusively.
    pub locks: bool,
    /// Writers compare the file they opened with the one at the path.
    pub compares: bool,
    /// A batch goes out in one `write`.
    pub one_write: bool,
    /// The ledger takes in only events whose id it does not hold.
    pub knows_ids: bool,
}

impl Default for Protocol {
    fn default() -> Self {
        Self {
            locks: true,
            compares: true,
            one_write: true,
            knows_ids: true,
        }
    }
}

/// What one `write` put into a file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Piece {
    Whole(Id),
    FirstPart(Id),
    SecondPart(Id),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Writer {
    Opens {
        round: u8,
    },
    Locks {
        round: u8,
        file: File,
    },
    Compares {
        round: u8,
        file: File,
    },
    Writes {
        file: File,
    },
    /// A part of it is written: all of it once more, or the second part.
    WritesOn {
        file: File,
    },
    Closes {
        file: File,
    },
    /// Its own claim is whole, under a name that nobody looks at.
    Renames,
    Ended,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Drain {
    OpensLedger,
    Lists,
    Claims { list: Vec<File> },
    Locks { list: Vec<File> },
    Reads { list: Vec<File> },
    Commits { list: Vec<File>, events: Vec<Id> },
    Deletes { list: Vec<File> },
    Unlocks { list: Vec<File> },
    Ended,
}

/// Who did what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    pub who: &'static str,
    pub what: &'static str,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct World {
    protocol: Protocol,
    /// How many files there ever were.
    files: File,
    /// What was written into which of them.
    written: Vec<(File, Piece)>,
    spool: Option<File>,
    claims: Files,
    /// A claim that was deleted and may come back, unless one did already.
    deleted: Option<File>,
    came_back: bool,
    writers: [Writer; 2],
    drains: [Drain; 2],
    /// How often each drain will run again.
    again: [u8; 2],
    acknowledged: [bool; 2],
    /// How often each event is in the ledger.
    ledger: [u8; 2],
}

impl World {
    pub fn new(protocol: Protocol) -> Self {
        Self {
            protocol,
            files: 0,
            written: Vec::new(),
            spool: None,
            claims: Files(0),
            deleted: None,
            came_back: false,
            writers: [Writer::Opens { round: 0 }; 2],
            drains: [Drain::OpensLedger, Drain::OpensLedger],
            again: AGAIN,
            acknowledged: [false; 2],
            ledger: [0; 2],
        }
    }

    /// Every world that is one step away, with the step.
    pub fn next(&self) -> Vec<(Step, Self)> {
        let mut next = Vec::new();
        for who in 0..2 {
            let by = |name: &'static str| move |(what, world)| (Step { who: name, what }, world);
            next.extend(
                self.writer_steps(who)
                    .into_iter()
                    .map(by(["writer 0", "writer 1"][who])),
            );
            next.extend(self.drain_steps(who).into_iter().map(by(["drain 0", "drain 1"][who])));
        }
        if let (Some(file), false) = (self.deleted, self.came_back) {
            let back = self.with(|w| {
                let copy = w.new_file();
                w.pieces(file).into_iter().for_each(|piece| w.put(copy, piece));
                w.claims.add(copy);
                w.came_back = true;
            });
            let (who, what) = ("a deleted claim", "comes back");
            next.push((Step { who, what }, back));
        }
        next
    }

    /// What is wrong when the next drain has taken in everything that lies in the store.
    pub fn what_is_wrong(&self) -> Option<String> {
        let mut end = self.clone();
        let spool = end.spool.into_iter();
        for file in end.claims.list().into_iter().chain(spool) {
            end.take_in(&events_in(&self.pieces(file)));
        }
        (0..2).find_map(|id| match (end.acknowledged[id], end.ledger[id]) {
            (true, 0) => Some(format!("event {id} is acknowledged and in the ledger 0 times")),
            (_, times) if times > 1 => Some(format!("event {id} is in the ledger {times} times")),
            _ => None,
        })
    }

    fn with(&self, change: impl FnOnce(&mut Self)) -> Self {
        let mut world = self.clone();
        change(&mut world);
        world
    }

    fn writer_steps(&self, who: usize) -> Vec<(&'static str, Self)> {
        let mut steps = self.writer_calls(who);
        if self.writers[who] != Writer::Ended {
            steps.push(("dies", self.with(|w| w.writers[who] = Writer::Ended)));
        }
        steps
    }

    fn writer_calls(&self, who: usize) -> Vec<(&'static str, Self)> {
        let to = |writer: Writer| self.with(|w| w.writers[who] = writer);
        let again = |round: u8| Writer::Opens { round: round + 1 };
        match self.writers[who] {
            Writer::Ended => Vec::new(),
            Writer::Opens { round: ROUNDS } => vec![("writes a file of its own", to(Writer::Renames))],
            Writer::Opens { round } => vec![("opens the spool", self.with(|w| w.open_spool(who, round)))],
            Writer::Locks { round, file } if self.is_being_drained(file) => {
                vec![("finds the spool locked", to(again(round)))]
            }
            Writer::Locks { round, file } => vec![("locks the spool", to(Writer::Compares { round, file }))],
            Writer::Compares { round, file } if self.protocol.compares && self.spool != Some(file) => {
                vec![("finds another spool", to(again(round)))]
            }
            Writer::Compares { file, .. } => vec![("finds the same spool", to(Writer::Writes { file }))],
            Writer::Writes { file } => {
                let part = (
                    "writes a part",
                    self.with(|w| w.write(who, file, Piece::FirstPart(who))),
                );
                match self.protocol.one_write {
                    true => vec![("writes", self.with(|w| w.write(who, file, Piece::Whole(who)))), part],
                    false => vec![part],
                }
            }
            Writer::WritesOn { file } if self.protocol.one_write => {
                vec![
                    (
                        "writes it once more",
                        self.with(|w| w.write(who, file, Piece::Whole(who))),
                    ),
                    ("gives it up", to(Writer::Ended)),
                ]
            }
            Writer::WritesOn { file } => {
                vec![(
                    "writes the rest",
                    self.with(|w| w.write(who, file, Piece::SecondPart(who))),
                )]
            }
            Writer::Closes { .. } => vec![("closes the spool", to(Writer::Ended))],
            Writer::Renames => vec![("makes its file a claim", self.with(|w| w.claim_of_its_own(who)))],
        }
    }

    fn open_spool(&mut self, who: usize, round: u8) {
        let file = self.spool.unwrap_or_else(|| self.new_file());
        self.spool = Some(file);
        self.writers[who] = Writer::Locks { round, file };
    }

    fn write(&mut self, who: usize, file: File, piece: Piece) {
        self.put(file, piece);
        self.writers[who] = match piece {
            Piece::FirstPart(_) => Writer::WritesOn { file },
            Piece::Whole(_) | Piece::SecondPart(_) => Writer::Closes { file },
        };
        self.acknowledged[who] = !matches!(piece, Piece::FirstPart(_));
    }

    fn claim_of_its_own(&mut self, who: usize) {
        let file = self.new_file();
        self.put(file, Piece::Whole(who));
        self.claims.add(file);
        self.acknowledged[who] = true;
        self.writers[who] = Writer::Ended;
    }

    fn drain_steps(&self, who: usize) -> Vec<(&'static str, Self)> {
        let mut steps = self.drain_calls(who);
        if self.drains[who] != Drain::Ended {
            steps.push(("dies", self.with(|w| w.end_drain(who))));
        }
        steps
    }

    fn drain_calls(&self, who: usize) -> Vec<(&'static str, Self)> {
        let to = |drain: Drain| self.with(|w| w.drains[who] = drain);
        match self.drains[who].clone() {
            Drain::Ended => Vec::new(),
            Drain::OpensLedger if self.holds_ledger(1 - who) => {
                vec![("finds the ledger held", self.with(|w| w.end_drain(who)))]
            }
            Drain::OpensLedger => vec![("opens the ledger", to(Drain::Lists))],
            Drain::Lists => {
                let list = self.claims.list();
                vec![("lists the claims", to(Drain::Claims { list }))]
            }
            Drain::Claims { list } => vec![("renames the spool", self.with(|w| w.claim_spool(who, list)))],
            Drain::Locks { list } => match list.first() {
                None => vec![("publishes", self.with(|w| w.end_drain(who)))],
                Some(file) if self.is_being_written(*file) => {
                    vec![(
                        "leaves a claim to the next",
                        to(Drain::Locks {
                            list: list[1..].to_vec(),
                        }),
                    )]
                }
                Some(_) => vec![("locks the claim", to(Drain::Reads { list }))],
            },
            Drain::Reads { list } => {
                let events = events_in(&self.pieces(list[0]));
                vec![("reads the claim", to(Drain::Commits { list, events }))]
            }
            Drain::Commits { list, events } => {
                let committed = self.with(|w| {
                    w.take_in(&events);
                    w.drains[who] = Drain::Deletes { list };
                });
                vec![("commits", committed)]
            }
            Drain::Deletes { list } => {
                let deleted = self.with(|w| {
                    w.claims.remove(list[0]);
                    w.deleted = Some(list[0]);
                    w.drains[who] = Drain::Unlocks { list };
                });
                vec![("deletes the claim", deleted)]
            }
            Drain::Unlocks { list } => vec![(
                "closes the claim",
                to(Drain::Locks {
                    list: list[1..].to_vec(),
                }),
            )],
        }
    }

    fn claim_spool(&mut self, who: usize, mut list: Vec<File>) {
        if let Some(file) = self.spool.filter(|file| !self.pieces(*file).is_empty()) {
            self.spool = None;
            self.claims.add(file);
            list.push(file);
        }
        self.drains[who] = Drain::Locks { list };
    }

    fn new_file(&mut self) -> File {
        self.files += 1;
        self.files - 1
    }

    fn put(&mut self, file: File, piece: Piece) {
        self.written.push((file, piece));
        // Which of two files was written first makes no difference.
        self.written.sort_by_key(|(file, _)| *file);
    }

    fn pieces(&self, file: File) -> Vec<Piece> {
        let of_it = self.written.iter().filter(|(there, _)| *there == file);
        of_it.map(|(_, piece)| *piece).collect()
    }

    fn end_drain(&mut self, who: usize) {
        self.drains[who] = match self.again[who] {
            0 => Drain::Ended,
            _ => Drain::OpensLedger,
        };
        self.again[who] = self.again[who].saturating_sub(1);
    }

    fn take_in(&mut self, events: &[Id]) {
        for id in events {
            if self.ledger[*id] == 0 || !self.protocol.knows_ids {
                self.ledger[*id] += 1;
            }
        }
    }

    fn holds_ledger(&self, who: usize) -> bool {
        !matches!(self.drains[who], Drain::OpensLedger | Drain::Ended)
    }

    /// A drain holds the lock of the file.
    fn is_being_drained(&self, file: File) -> bool {
        let held = |drain: &Drain| match drain {
            Drain::Reads { list } | Drain::Commits { list, .. } | Drain::Deletes { list } | Drain::Unlocks { list } => {
                list[0] == file
            }
            _ => false,
        };
        self.protocol.locks && self.drains.iter().any(held)
    }

    /// A writer holds the lock of the file.
    fn is_being_written(&self, file: File) -> bool {
        let held = |writer: &Writer| match writer {
            Writer::Compares { file: f, .. }
            | Writer::Writes { file: f }
            | Writer::WritesOn { file: f }
            | Writer::Closes { file: f } => *f == file,
            _ => false,
        };
        self.protocol.locks && self.writers.iter().any(held)
    }
}

/// What a reader finds: a record is whole when nothing lies between its parts.
fn events_in(pieces: &[Piece]) -> Vec<Id> {
    let whole = pieces.iter().filter_map(|piece| match piece {
        Piece::Whole(id) => Some(*id),
        _ => None,
    });
    let joined = pieces.windows(2).filter_map(|pair| match (pair[0], pair[1]) {
        (Piece::FirstPart(a), Piece::SecondPart(b)) if a == b => Some(a),
        _ => None,
    });
    whole.chain(joined).collect()
}

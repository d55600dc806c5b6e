//! Reads one transcript, from its beginning or from where it was left.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use ruzstd::decoding::StreamingDecoder;
use serde::{Deserialize, Serialize};

use super::discover::{Found, is_packed};
use super::gather::{Gathered, SoFar};
use super::line::{LONGEST, Lines, is_blank};
use super::position::Position;
use super::{aider, claude, cline, codex, copilot, cursor, gemini};
use crate::session::{Harness, Session, ToolCall, Turn};
use crate::{Error, Result};

const BUFFER: usize = 1 << 18;

/// In a millisecond.
const NANOSECONDS: u64 = 1_000_000;

/// What a transcript says of one session.
#[derive(Debug)]
pub struct Reading {
    /// `true`: this is all of the session and replaces what was read of it before. `false`: the turns
    /// and tool calls follow the earlier ones.
    pub fresh: bool,
    /// The session as a whole, as far as it is known by now. `None`: there is no session in the
    /// file, or not yet.
    pub session: Option<Session>,
    /// What was said.
    pub turns: Vec<Turn>,
    /// What was done; `turn` counts from the beginning of the session.
    pub tool_calls: Vec<ToolCall>,
    /// Lines that could not be read.
    pub skipped: u64,
    /// Lines of a subagent in the transcript of its parent, where old versions of Claude Code wrote them:
    /// left out.
    pub sidechain: u64,
    /// Where to read on.
    pub position: Position,
}

/// Reads a transcript from the beginning, or, when it still begins with what was read of it
/// earlier, from there.
///
/// A last line without its end is left for the next time, unless it is complete. A compressed file
/// is always read whole, and so is one whose agent takes back what it wrote.
///
/// Most transcripts are of one session. One of several says of each that was read anew, the latest last;
/// the others are as they were.
///
/// # Errors
/// The file cannot be opened or read.
pub fn read(found: &Found, earlier: Option<&Position>) -> Result<Vec<Reading>> {
    let mut file = File::open(&found.path).map_err(|error| Error::io("open", &found.path, error))?;
    read_from(&mut file, found, earlier).map_err(|error| Error::io("read", &found.path, error))
}

/// Reads a transcript whose bytes are at hand.
pub(super) fn read_from<F: Read + Seek>(
    file: &mut F,
    found: &Found,
    earlier: Option<&Position>,
) -> io::Result<Vec<Reading>> {
    let earlier = resumable(file, found, earlier)?;
    if found.harness == Harness::Aider {
        return aider::read(file, found, earlier);
    }
    let mut progress = Progress::new(found, earlier);
    file.seek(SeekFrom::Start(progress.offset))?;
    if is_packed(&found.path) {
        let packed = BufReader::with_capacity(BUFFER, &mut *file);
        let unpacked = BufReader::with_capacity(BUFFER, Frames::new(packed));
        // What was unpacked before a damaged frame is worth keeping.
        if progress.read_all(unpacked).is_err() {
            progress.skipped += 1;
        }
        progress.offset = 0;
    } else if progress.parser.wants_all() {
        let mut all = Vec::new();
        file.take(LONGEST).read_to_end(&mut all)?;
        progress.skipped += progress.parser.take_all(&all, &mut progress.gathered);
    } else {
        progress.read_all(BufReader::with_capacity(BUFFER, &mut *file))?;
    }
    Ok(vec![progress.finish(file, found, earlier.is_none())?])
}

/// What carries over between two readings of one file, by agent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Parser {
    Claude(claude::State),
    Codex(codex::State),
    Gemini(gemini::State),
    Copilot(copilot::State),
    Cline(cline::State),
    Aider(aider::State),
    Cursor(cursor::State),
}

impl Parser {
    fn new(found: &Found) -> Self {
        match found.harness {
            Harness::Claude => Self::Claude(claude::State::new(found)),
            Harness::Codex => Self::Codex(codex::State::new(found)),
            Harness::Gemini => Self::Gemini(gemini::State::new(found)),
            Harness::Copilot => Self::Copilot(copilot::State::new(found)),
            Harness::Cline | Harness::Roo => Self::Cline(cline::State::new(found)),
            Harness::Aider => Self::Aider(aider::State::default()),
            Harness::Cursor => Self::Cursor(cursor::State::new(found)),
        }
    }

    /// Takes in a line. `false`: not all of it could be read. A `tail` is taken in only whole.
    fn take(&mut self, line: &[u8], tail: bool, out: &mut Gathered) -> bool {
        match self {
            Self::Claude(state) => state.take(line, tail, out),
            Self::Codex(state) => state.take(line, tail, out),
            Self::Gemini(_) | Self::Cline(_) | Self::Aider(_) => false,
            Self::Copilot(state) => state.take(line, tail, out),
            Self::Cursor(state) => state.take(line, tail, out),
        }
    }

    /// Whether what stands in a file makes sense only when all of it is known.
    fn wants_all(&self) -> bool {
        matches!(self, Self::Gemini(_) | Self::Cline(_))
    }

    /// Takes in a whole file, and tells how much of it could not be read.
    fn take_all(&mut self, file: &[u8], out: &mut Gathered) -> u64 {
        match self {
            Self::Claude(_) | Self::Codex(_) | Self::Copilot(_) | Self::Aider(_) | Self::Cursor(_) => 0,
            Self::Gemini(state) => state.take_all(file, out),
            Self::Cline(state) => state.take_all(file, out),
        }
    }

    fn session(&self, so_far: &SoFar) -> Option<Session> {
        match self {
            Self::Claude(state) => state.session(so_far),
            Self::Codex(state) => state.session(so_far),
            Self::Gemini(state) => state.session(so_far),
            Self::Copilot(state) => state.session(so_far),
            Self::Cline(state) => state.session(so_far),
            Self::Aider(_) => None,
            Self::Cursor(state) => state.session(so_far),
        }
    }
}

fn resumable<'a>(
    file: &mut (impl Read + Seek),
    found: &Found,
    earlier: Option<&'a Position>,
) -> io::Result<Option<&'a Position>> {
    match earlier.filter(|p| p.offset() > 0 && !is_packed(&found.path)) {
        Some(position) => Ok(position.leads_into(file)?.then_some(position)),
        None => Ok(None),
    }
}

struct Progress {
    offset: u64,
    skipped: u64,
    parser: Parser,
    gathered: Gathered,
}

impl Progress {
    fn new(found: &Found, earlier: Option<&Position>) -> Self {
        let (offset, so_far, parser) = match earlier {
            Some(at) => (at.offset(), at.so_far.clone(), at.parser.clone()),
            None => (0, SoFar::default(), Parser::new(found)),
        };
        Self {
            offset,
            skipped: 0,
            parser,
            gathered: Gathered {
                written: Some(found.modified / NANOSECONDS).filter(|at| *at > 0),
                ..Gathered::after(so_far)
            },
        }
    }

    fn read_all(&mut self, reader: impl BufRead) -> io::Result<()> {
        let mut lines = Lines::new(reader, self.offset);
        while let Some(line) = lines.next()? {
            // No part of a JSON object is one itself, so a complete one without its line's end is
            // the whole line.
            let whole = is_blank(line.bytes) || self.parser.take(line.bytes, !line.ended, &mut self.gathered);
            if !line.ended && !whole {
                break;
            }
            self.skipped += u64::from(!whole);
            self.offset = line.next;
        }
        Ok(())
    }

    fn finish(self, file: &mut (impl Read + Seek), found: &Found, fresh: bool) -> io::Result<Reading> {
        let Self {
            offset,
            skipped,
            parser,
            gathered,
        } = self;
        let session = parser.session(&gathered.so_far).filter(|_| gathered.so_far.turns > 0);
        if session.is_none() {
            // Read again from the beginning, so that tool calls before the first turn are not lost.
            let position = Position::new(file, 0, SoFar::default(), Parser::new(found))?;
            return Ok(Reading {
                fresh,
                session,
                turns: Vec::new(),
                tool_calls: Vec::new(),
                skipped,
                sidechain: gathered.sidechain,
                position,
            });
        }
        Ok(Reading {
            fresh,
            session,
            turns: gathered.turns,
            tool_calls: gathered.tool_calls,
            skipped,
            sidechain: gathered.sidechain,
            position: Position::new(file, offset, gathered.so_far, parser)?,
        })
    }
}

/// The content of all Zstandard frames of a file, one after another.
struct Frames<R: Read> {
    state: Frame<R>,
}

enum Frame<R: Read> {
    Between(R),
    Within(Box<StreamingDecoder<R, ruzstd::decoding::FrameDecoder>>),
    Over,
}

impl<R: BufRead> Frames<R> {
    fn new(source: R) -> Self {
        Self {
            state: Frame::Between(source),
        }
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match std::mem::replace(&mut self.state, Frame::Over) {
                Frame::Over => return Ok(0),
                Frame::Between(mut source) => {
                    if source.fill_buf()?.is_empty() {
                        return Ok(0);
                    }
                    let frame = StreamingDecoder::new(source).map_err(io::Error::other)?;
                    self.state = Frame::Within(Box::new(frame));
                }
                Frame::Within(mut frame) => match frame.read(buffer)? {
                    0 if !buffer.is_empty() => self.state = Frame::Between(frame.into_inner()),
                    taken => {
                        self.state = Frame::Within(frame);
                        return Ok(taken);
                    }
                },
            }
        }
    }
}

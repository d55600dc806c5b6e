//! How far a file was read, and whether it is still the same file.

use std::io::{self, Read, Seek, SeekFrom};

use serde::{Deserialize, Serialize};

use super::gather::SoFar;
use super::read::Parser;
use crate::hash::fnv64;

/// How many bytes at the beginning and before the offset a file is recognised by.
const RECOGNISED_BY: u64 = 4096;

/// How far a file was read and what its reader must know to read on. It holds no secrets.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Position {
    offset: u64,
    head: u64,
    tail: u64,
    pub(super) so_far: SoFar,
    pub(super) parser: Parser,
}

impl Position {
    /// After `offset` bytes of this file.
    pub(super) fn new(file: &mut (impl Read + Seek), offset: u64, so_far: SoFar, parser: Parser) -> io::Result<Self> {
        let (head, tail) = ends(file, offset)?;
        Ok(Self {
            offset,
            head,
            tail,
            so_far,
            parser,
        })
    }

    /// Bytes read.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether the file still begins with what was read of it.
    pub(super) fn leads_into(&self, file: &mut (impl Read + Seek)) -> io::Result<bool> {
        let long_enough = file.seek(SeekFrom::End(0))? >= self.offset;
        Ok(long_enough && ends(file, self.offset)? == (self.head, self.tail))
    }
}

fn ends(file: &mut (impl Read + Seek), offset: u64) -> io::Result<(u64, u64)> {
    let length = offset.min(RECOGNISED_BY);
    let mut bytes = Vec::new();
    let mut print = |from| {
        file.seek(SeekFrom::Start(from))?;
        bytes.clear();
        file.by_ref().take(length).read_to_end(&mut bytes)?;
        Ok::<u64, io::Error>(fnv64(&bytes))
    };
    Ok((print(0)?, print(offset - length)?))
}

//! The whole graph as lines, out and in.

use std::io::Write;
use std::path::Path;

use super::absorb::read;
use super::drain::end;
use super::drained::Drained;
use crate::ledger::tables::{ReadTables, Tables};
use crate::ledger::{Ledger, events};
use crate::spool::{claim, line};
use crate::time::Millis;
use crate::{Error, Result};

/// Writes every event as a line of the spool's grammar, in the order of their ids, and gives their
/// number.
pub fn export(ledger: &Ledger, out: &mut dyn Write) -> Result<u64> {
    let tables = ReadTables::open(&ledger.read()?)?;
    let mut lines = 0;
    let mut line = String::new();
    for edges in events::edges(&tables)?.chunk_by(|a, b| a.event == b.event) {
        let Some(event) = events::event(&tables, edges)? else {
            continue;
        };
        line.clear();
        line::encode(&event, &mut line);
        out.write_all(line.as_bytes())
            .map_err(|e| Error::io("write the export to", "the output", e))?;
        lines += 1;
    }
    Ok(lines)
}

/// Takes in a file of such lines, or of the rows of another store. What is known, and what was
/// forgotten, adds nothing; so the same file may be taken in again.
pub fn import(ledger: &Ledger, file: &Path, now: Millis) -> Result<Drained> {
    let mut file = claim::import(file, now)?;
    let txn = ledger.write()?;
    let mut tables = Tables::open(&txn)?;
    let (drained, publication) = read(
        ledger.store(),
        ledger.id(),
        &mut tables,
        std::slice::from_mut(&mut file),
    )?;
    drop(tables);
    end(txn, drained.events > 0)?;
    publication.publish(ledger.store())?;
    Ok(drained)
}

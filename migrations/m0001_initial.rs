//! Format 1: the tables of the citation graph and of the sessions, empty.

use redb::{TableDefinition, WriteTransaction};

pub(crate) fn run(txn: &WriteTransaction) -> Result<(), redb::Error> {
    txn.open_table(TableDefinition::<u32, &[u8]>::new("rekal.targets"))?;
    txn.open_table(TableDefinition::<&[u8], u32>::new("rekal.target_ids"))?;
    txn.open_table(TableDefinition::<u32, &str>::new("rekal.queries"))?;
    txn.open_table(TableDefinition::<&[u8; 12], ()>::new("rekal.query_ids"))?;
    txn.open_table(TableDefinition::<&[u8; 16], &[u8]>::new("rekal.events"))?;
    txn.open_table(TableDefinition::<&[u8; 20], ()>::new("rekal.query_events"))?;
    txn.open_table(TableDefinition::<&[u8; 20], u8>::new("rekal.recall_edges"))?;
    txn.open_table(TableDefinition::<&[u8; 8], &[u8]>::new("rekal.session_reach"))?;
    txn.open_table(TableDefinition::<u32, &[u8]>::new("rekal.sessions"))?;
    txn.open_table(TableDefinition::<&[u8], u32>::new("rekal.session_ids"))?;
    txn.open_table(TableDefinition::<&[u8; 8], &[u8]>::new("rekal.turns"))?;
    txn.open_table(TableDefinition::<&[u8; 8], &[u8]>::new("rekal.tool_calls"))?;
    txn.open_table(TableDefinition::<&str, &[u8]>::new("rekal.transcripts"))?;
    txn.open_table(TableDefinition::<u32, &[u8]>::new("rekal.checkpoints"))?;
    Ok(())
}

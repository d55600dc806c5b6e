//! The steps that bring an older ledger to the present format, in order. A step is frozen once it
//! has landed: it says nothing of the crate it is compiled into and owns a copy of every row type
//! that it touches.

mod m0001_initial;

/// One step: what it does in the write transaction that all pending steps share.
pub(crate) type Step = fn(&redb::WriteTransaction) -> Result<(), redb::Error>;

/// Step n brings format n to format n + 1; a new ledger has format 0.
pub(crate) const STEPS: &[Step] = &[m0001_initial::run];

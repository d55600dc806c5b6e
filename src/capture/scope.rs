//! Which sessions a store is concerned with: decided by the folder that the transcript recorded,
//! never by the name of the transcript's own folder, which is the same for `a-b`, `a/b` and `a b`.

use std::path::{Path, PathBuf};

/// The sessions that a checkpoint captures.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Every session of this user.
    Everything,
    /// Sessions held in one of these folders or below.
    Below(Vec<PathBuf>),
}

impl Scope {
    /// Whether a session that was held in `cwd` is captured. One that recorded no folder belongs to
    /// nobody in particular, so only to everything.
    pub fn holds(&self, cwd: Option<&str>) -> bool {
        match (self, cwd) {
            (Scope::Everything, _) => true,
            (Scope::Below(_), None) => false,
            (Scope::Below(roots), Some(cwd)) => roots.iter().any(|root| Path::new(cwd).starts_with(root)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_look_alike_are_told_apart() {
        let scope = Scope::Below(vec![PathBuf::from("/home/dev/a-b")]);
        assert!(scope.holds(Some("/home/dev/a-b")));
        assert!(scope.holds(Some("/home/dev/a-b/src")));
        assert!(!scope.holds(Some("/home/dev/a/b")));
        assert!(!scope.holds(Some("/home/dev/a b")));
        assert!(!scope.holds(Some("/home/dev/a-b2")));
        assert!(!scope.holds(None));
        assert!(Scope::Everything.holds(None));
    }
}

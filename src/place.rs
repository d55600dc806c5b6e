//! Where the store is, and whose sessions belong in it.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::answer::Failure;
use crate::env::Env;
use crate::git::Repository;

/// The name of a store's folder.
pub const FOLDER: &str = ".rekal";

/// The place of a store, which need not be there yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The store's folder.
    pub dir: PathBuf,
    /// Whose sessions belong in it.
    pub scope: Scope,
}

/// Whose sessions belong in a store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Those that were held in a worktree of this repository.
    Repository(Repository),
    /// Every session of the user.
    Everything,
}

impl Place {
    /// Finds the place: `store`, else `REKAL_STORE`, else the main worktree of the repository around
    /// the current folder, else the nearest `.rekal` upwards, else the user's data directory.
    pub fn find(store: Option<&Path>, env: &Env) -> Result<Self, Failure> {
        let here = env.current_dir.as_deref();
        if let Some(named) = store.or(env.store.as_deref()) {
            return Ok(Self::named(here.map_or(named.to_path_buf(), |here| here.join(named))));
        }
        if let Some(repository) = here.and_then(Repository::around) {
            return Ok(Self {
                dir: repository.root().join(FOLDER),
                scope: Scope::Repository(repository),
            });
        }
        here.and_then(nearest)
            .or_else(|| env.data_dir.clone())
            .map(|dir| Self {
                dir,
                scope: Scope::Everything,
            })
            .ok_or_else(|| {
                Failure::usage("find the store: there is no repository, no .rekal folder and no home directory")
                    .remedy_is("name a folder with --store DIR")
            })
    }

    /// Makes the store's folder, for its owner only, and keeps git from looking into it.
    pub fn create(&self) -> Result<(), Failure> {
        let is_new = !self.dir.exists();
        if is_new {
            let mut builder = DirBuilder::new();
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            builder
                .recursive(true)
                .create(&self.dir)
                .map_err(|error| Failure::io("create", &self.dir, &error))?;
        }
        // A folder that was there before and has another name may hold more than a store.
        if is_new || self.dir.file_name().is_some_and(|name| name == FOLDER) {
            ignore_everything(&self.dir.join(".gitignore"))?;
        }
        Ok(())
    }

    /// The folders in which its sessions may be held: the worktrees of the repository; without one the
    /// folder that a store beside it is in, and `here`.
    pub fn folders(&self, here: Option<&Path>) -> Vec<PathBuf> {
        if let Scope::Repository(repository) = &self.scope {
            return repository.worktrees();
        }
        let beside = self.dir.parent().filter(|_| self.dir.ends_with(FOLDER));
        beside.into_iter().chain(here).map(Path::to_path_buf).collect()
    }

    fn named(dir: PathBuf) -> Self {
        let existing = dir.ancestors().find_map(|folder| folder.canonicalize().ok());
        let scope = match existing.as_deref().and_then(Repository::around) {
            Some(repository) => Scope::Repository(repository),
            None => Scope::Everything,
        };
        Self { dir, scope }
    }
}

fn nearest(folder: &Path) -> Option<PathBuf> {
    folder
        .ancestors()
        .map(|ancestor| ancestor.join(FOLDER))
        .find(|dir| dir.is_dir())
}

fn ignore_everything(path: &Path) -> Result<(), Failure> {
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(mut file) => file.write_all(b"*\n").or_else(|error| {
            // Half a file would be taken for a whole one the next time.
            fs::remove_file(path)?;
            Err(error)
        }),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
    .map_err(|error| Failure::io("write to", path, &error))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// A folder of its own, with its real path.
    fn folder() -> (tempfile::TempDir, PathBuf) {
        let guard = tempfile::tempdir().expect("a folder");
        let path = guard.path().canonicalize().expect("a real path");
        (guard, path)
    }

    fn git(folder: &Path, args: &[&str]) {
        let identity = ["-c", "user.name=n", "-c", "user.email=n@example.com"];
        let output = Command::new("git")
            .current_dir(folder)
            .args(identity)
            .args(["-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"])
            .args(args)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .output()
            .expect("git runs");
        assert!(
            output.status.success(),
            "{args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }

    fn repository(folder: &Path) {
        fs::create_dir_all(folder).expect("a folder");
        git(folder, &["init", "-q"]);
        git(folder, &["commit", "-q", "--allow-empty", "-m", "first"]);
    }

    fn from(folder: &Path) -> Place {
        let env = Env {
            current_dir: Some(folder.to_path_buf()),
            data_dir: Some("/data/rekal".into()),
            ..Env::default()
        };
        Place::find(None, &env).expect("a place")
    }

    fn worktrees(place: &Place) -> Vec<PathBuf> {
        match &place.scope {
            Scope::Repository(repository) => repository.worktrees(),
            Scope::Everything => Vec::new(),
        }
    }

    #[test]
    fn a_repository_and_its_worktrees_share_one_store() {
        let (_guard, top) = folder();
        let (main, linked) = (top.join("main"), top.join("linked"));
        repository(&main);
        git(&main, &["worktree", "add", "-q", "../linked"]);
        fs::create_dir_all(linked.join("deep/er")).expect("a folder");

        for here in [&main, &main.join(".git"), &linked, &linked.join("deep/er")] {
            let place = from(here);
            assert_eq!(place.dir, main.join(".rekal"), "{here:?}");
            assert_eq!(worktrees(&place), [main.clone(), linked.clone()], "{here:?}");
        }
        fs::remove_dir_all(&linked).expect("removed");
        assert_eq!(worktrees(&from(&main)), [main.clone(), linked.clone()]);
    }

    #[test]
    fn a_submodule_has_a_store_of_its_own() {
        let (_guard, top) = folder();
        let (library, outer) = (top.join("library"), top.join("outer"));
        repository(&library);
        repository(&outer);
        git(&outer, &["submodule", "-q", "add", "../library", "inner"]);
        git(&outer.join("inner"), &["worktree", "add", "-q", "../../linked"]);

        let inner = outer.join("inner");
        assert_eq!(from(&inner).dir, inner.join(".rekal"));
        assert_eq!(from(&top.join("linked")).dir, inner.join(".rekal"));
        assert_eq!(worktrees(&from(&inner)), [inner.clone(), top.join("linked")]);
        assert_eq!(from(&outer).dir, outer.join(".rekal"));
    }

    #[test]
    fn a_bare_repository_keeps_its_store_inside() {
        let (_guard, top) = folder();
        repository(&top.join("seed"));
        git(&top, &["clone", "-q", "--bare", "seed", "project/.bare"]);
        let bare = top.join("project/.bare");
        git(&bare, &["worktree", "add", "-q", "../feature"]);
        let feature = top.join("project/feature");

        assert_eq!(from(&feature).dir, bare.join(".rekal"));
        assert_eq!(from(&bare.join("refs")).dir, bare.join(".rekal"));
        assert_eq!(worktrees(&from(&bare)), [feature]);
    }

    #[test]
    fn a_separate_git_directory_is_what_its_worktrees_agree_on() {
        let (_guard, top) = folder();
        let main = top.join("main");
        git(&top, &["init", "-q", "--separate-git-dir", "elsewhere.git", "main"]);
        git(&main, &["commit", "-q", "--allow-empty", "-m", "first"]);
        git(&main, &["worktree", "add", "-q", "../linked"]);

        let store = top.join("elsewhere.git/.rekal");
        assert_eq!(from(&main).dir, store);
        assert_eq!(from(&top.join("linked")).dir, store);
        assert_eq!(worktrees(&from(&main)), [main, top.join("linked")]);
    }

    #[test]
    fn a_worktree_setting_moved_to_its_own_file_is_read() {
        let (_guard, top) = folder();
        repository(&top);
        fs::write(top.join(".git/config.worktree"), "[core]\n\tbare = true\n").expect("written");
        assert_eq!(from(&top).dir, top.join(".git/.rekal"));
    }

    #[test]
    fn outside_a_repository_it_is_the_nearest_folder_upwards_or_the_users_own() {
        let (_guard, top) = folder();
        let deep = top.join("a/b");
        fs::create_dir_all(&deep).expect("a folder");
        fs::write(deep.join(".git"), "gitdir: /nowhere\n").expect("written");
        let own = Place {
            dir: "/data/rekal".into(),
            scope: Scope::Everything,
        };
        assert_eq!(from(&deep), own);
        fs::create_dir(top.join(".rekal")).expect("a folder");
        assert_eq!(from(&deep).dir, top.join(".rekal"));
        assert_eq!(from(&deep).scope, Scope::Everything);
    }

    #[test]
    fn a_named_store_belongs_to_the_repository_it_lies_in() {
        let (_guard, top) = folder();
        let main = top.join("main");
        repository(&main);
        let mut env = Env {
            current_dir: Some(main.clone()),
            store: Some("../outside".into()),
            ..Env::default()
        };
        let outside = Place::find(None, &env).expect("a place");
        assert_eq!(outside.dir, main.join("../outside"));
        assert_eq!(outside.scope, Scope::Everything);

        env.current_dir = Some(top.clone());
        let inside = Place::find(Some(Path::new("main/.rekal")), &env).expect("a place");
        assert_eq!(inside.dir, main.join(".rekal"));
        assert_eq!(worktrees(&inside), [main]);
    }

    #[test]
    fn no_place_at_all_is_a_failure_with_a_remedy() {
        let failure = Place::find(None, &Env::default()).expect_err("no place");
        assert_eq!(failure.remedy(), Some("name a folder with --store DIR"));
    }

    #[test]
    fn a_store_is_made_for_its_owner_and_hidden_from_git() {
        use std::os::unix::fs::PermissionsExt;
        let (_guard, top) = folder();
        let place = Place::named(top.join("new/.rekal"));
        place.create().expect("made");
        place.create().expect("made again");
        let mode = fs::metadata(&place.dir).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        assert_eq!(fs::read_to_string(place.dir.join(".gitignore")).expect("there"), "*\n");

        Place::named(top.clone()).create().expect("there already");
        assert!(!top.join(".gitignore").exists());
    }
}

//! The environment: every variable that the program reads, read once.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use rekal::edge::SessionId;

/// Where the asking session's own id is looked for, in this order.
const SOURCES: [&str; 4] = [
    "REKAL_SESSION",
    "CLAUDE_CODE_SESSION_ID",
    "CODEX_THREAD_ID",
    "GEMINI_SESSION_ID",
];

/// Editors that keep a folder of their own where programs keep theirs.
const EDITORS: [&str; 5] = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"];

/// The folder below the home of an editor that is worked in from another machine.
const EDITOR_SERVERS: [&str; 2] = [".vscode-server/data", ".vscode-server-insiders/data"];

/// What the environment says.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Env {
    /// The folder that the call was made in.
    pub current_dir: Option<PathBuf>,
    /// The program's own file.
    pub program: Option<PathBuf>,
    /// `REKAL_STORE`: where the store is.
    pub store: Option<PathBuf>,
    /// The session that is asking, when known: the source of its events.
    pub source: Option<SessionId>,
    /// `REKAL_BENCH`: no hint, no boost, no spool line, no capture.
    pub bench: bool,
    /// `REKAL_SKIP_CHECKPOINT`: no spool line, no capture.
    pub skip_checkpoint: bool,
    /// The user's data directory of rekal.
    pub data_dir: Option<PathBuf>,
    /// The user's configuration directory of rekal.
    pub config_dir: Option<PathBuf>,
    /// Where Claude Code keeps its files.
    pub claude_dir: Option<PathBuf>,
    /// Where Codex keeps its files.
    pub codex_dir: Option<PathBuf>,
    /// Where Gemini CLI keeps its files.
    pub gemini_dir: Option<PathBuf>,
    /// Where Copilot CLI keeps its files.
    pub copilot_dir: Option<PathBuf>,
    /// Where Cline in a terminal keeps its files.
    pub cline_dir: Option<PathBuf>,
    /// Where editors keep what their extensions store.
    pub editor_dirs: Vec<PathBuf>,
    /// Where Cursor keeps what its agent says.
    pub cursor_dir: Option<PathBuf>,
    /// Where Aider writes its history, unless it is the folder that it is started in.
    pub aider_history: Option<PathBuf>,
}

/// The program's own file. Where the system does not say, as in a root without `/proc`, the name that it was
/// called by is taken.
pub fn program() -> io::Result<PathBuf> {
    std::env::current_exe().or_else(|error| {
        let name = std::env::args_os().next().ok_or(error)?;
        PathBuf::from(name).canonicalize()
    })
}

impl Env {
    /// Reads the environment of this process.
    pub fn read() -> Self {
        Self {
            current_dir: std::env::current_dir().ok(),
            program: program().ok(),
            ..Self::of(|name| std::env::var_os(name))
        }
    }

    /// Whether this call leaves no trace: no event, no captured session.
    pub fn capture_is_off(&self) -> bool {
        self.bench || self.skip_checkpoint
    }

    fn of(get: impl Fn(&str) -> Option<OsString>) -> Self {
        let folder = |name: &str| get(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        // A relative XDG path is to be ignored, says its specification.
        let xdg = |name: &str| folder(name).filter(|dir| dir.is_absolute());
        let switch = |name: &str| get(name).is_some_and(|value| is_on(&value.to_string_lossy()));
        let home = |below: &str| folder("HOME").map(|home| home.join(below));
        let programs = match cfg!(target_os = "macos") {
            true => home("Library/Application Support"),
            false => xdg("XDG_CONFIG_HOME").or_else(|| home(".config")),
        };
        let editors = EDITORS.iter().filter_map(|name| Some(programs.as_ref()?.join(name)));
        let remote = EDITOR_SERVERS.iter().filter_map(|name| home(name));
        let source = |name: &&str| SessionId::try_from(get(name)?.to_str()?.trim()).ok();
        Self {
            current_dir: None,
            program: None,
            store: folder("REKAL_STORE"),
            source: SOURCES.iter().find_map(source),
            bench: switch("REKAL_BENCH"),
            skip_checkpoint: switch("REKAL_SKIP_CHECKPOINT"),
            data_dir: xdg("XDG_DATA_HOME")
                .or_else(|| home(".local/share"))
                .map(|dir| dir.join("rekal")),
            config_dir: folder("REKAL_CONFIG_HOME").or_else(|| {
                let dir = xdg("XDG_CONFIG_HOME").or_else(|| home(".config"));
                dir.map(|dir| dir.join("rekal"))
            }),
            claude_dir: folder("CLAUDE_CONFIG_DIR").or_else(|| home(".claude")),
            codex_dir: folder("CODEX_HOME").or_else(|| home(".codex")),
            gemini_dir: folder("GEMINI_CLI_HOME")
                .map(|dir| dir.join(".gemini"))
                .or_else(|| home(".gemini")),
            copilot_dir: home(".copilot"),
            cline_dir: folder("CLINE_DATA_DIR")
                .or_else(|| folder("CLINE_DIR").map(|dir| dir.join("data")))
                .or_else(|| home(".cline/data")),
            cursor_dir: folder("CURSOR_DATA_DIR")
                .or_else(|| folder("CURSOR_CONFIG_DIR"))
                .or_else(|| home(".cursor")),
            aider_history: folder("AIDER_CHAT_HISTORY_FILE"),
            editor_dirs: editors
                .chain(remote)
                .map(|dir| dir.join("User/globalStorage"))
                .collect(),
        }
    }
}

fn is_on(value: &str) -> bool {
    let value = value.trim().to_ascii_lowercase();
    !matches!(value.as_str(), "" | "0" | "false" | "no" | "off")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(set: &[(&str, &str)]) -> Env {
        Env::of(|name| set.iter().find(|(n, _)| *n == name).map(|(_, value)| value.into()))
    }

    fn source(set: &[(&str, &str)]) -> Option<String> {
        of(set).source.map(String::from)
    }

    #[test]
    fn a_switch_is_on_unless_its_value_says_no() {
        for off in ["", " ", "0", "false", "No", "OFF"] {
            assert!(!of(&[("REKAL_BENCH", off)]).bench, "{off:?}");
        }
        for on in ["1", "true", "yes", "anything"] {
            assert!(of(&[("REKAL_SKIP_CHECKPOINT", on)]).capture_is_off(), "{on:?}");
        }
        assert!(of(&[("REKAL_BENCH", "1")]).capture_is_off());
        assert!(!of(&[]).capture_is_off());
    }

    #[test]
    fn the_source_is_the_first_usable_id() {
        let claude = ("CLAUDE_CODE_SESSION_ID", "c1");
        assert_eq!(source(&[claude, ("REKAL_SESSION", "own")]).as_deref(), Some("own"));
        assert_eq!(source(&[claude, ("REKAL_SESSION", "")]).as_deref(), Some("c1"));
        assert_eq!(source(&[claude, ("REKAL_SESSION", "a\nb")]).as_deref(), Some("c1"));
        assert_eq!(
            source(&[("GEMINI_SESSION_ID", "g"), ("CODEX_THREAD_ID", "x")]).as_deref(),
            Some("x")
        );
        assert_eq!(source(&[]), None);
    }

    #[test]
    fn folders_follow_their_variables_and_then_the_home() {
        let home = of(&[("HOME", "/home/ada")]);
        assert_eq!(home.data_dir, Some("/home/ada/.local/share/rekal".into()));
        assert_eq!(home.config_dir, Some("/home/ada/.config/rekal".into()));
        assert_eq!(home.claude_dir, Some("/home/ada/.claude".into()));
        assert_eq!(home.codex_dir, Some("/home/ada/.codex".into()));
        assert_eq!(home.gemini_dir, Some("/home/ada/.gemini".into()));
        assert_eq!(home.copilot_dir, Some("/home/ada/.copilot".into()));
        assert_eq!(home.cline_dir, Some("/home/ada/.cline/data".into()));
        assert_eq!(home.cursor_dir, Some("/home/ada/.cursor".into()));
        assert!(
            home.editor_dirs
                .contains(&"/home/ada/.vscode-server/data/User/globalStorage".into())
        );
        #[cfg(target_os = "linux")]
        assert_eq!(
            home.editor_dirs[1],
            PathBuf::from("/home/ada/.config/Code - Insiders/User/globalStorage")
        );
        let set = of(&[
            ("HOME", "/home/ada"),
            ("XDG_DATA_HOME", "/data"),
            ("XDG_CONFIG_HOME", "not/absolute"),
            ("CODEX_HOME", "/codex"),
            ("GEMINI_CLI_HOME", "/own"),
            ("CLINE_DIR", "/cline"),
            ("CURSOR_CONFIG_DIR", "/cursor"),
            ("REKAL_STORE", ""),
        ]);
        assert_eq!(set.data_dir, Some("/data/rekal".into()));
        assert_eq!(set.config_dir, Some("/home/ada/.config/rekal".into()));
        assert_eq!(set.codex_dir, Some("/codex".into()));
        assert_eq!(set.gemini_dir, Some("/own/.gemini".into()));
        assert_eq!(set.cursor_dir, Some("/cursor".into()));
        assert_eq!(set.cline_dir, Some("/cline/data".into()));
        assert_eq!(set.store, None);
        assert_eq!(of(&[("REKAL_CONFIG_HOME", "/own")]).config_dir, Some("/own".into()));
        assert_eq!(
            of(&[("CLINE_DIR", "/cline"), ("CLINE_DATA_DIR", "/own")]).cline_dir,
            Some("/own".into())
        );
        assert_eq!((of(&[]).data_dir, of(&[]).editor_dirs), (None, Vec::new()));
    }
}

//! Whether a tool call is a call of rekal: memory must not become its own source.

/// The program's name.
const NAME: &str = "rekal";

/// Programs that run the one named behind them, and words of the shell before a command.
const WRAPPERS: &[&str] = &[
    "sudo", "doas", "env", "time", "timeout", "nohup", "nice", "exec", "command", "builtin", "npx", "bunx", "uvx",
    "pnpx", "xargs", "watch", "strace", "then", "do", "else", "if", "while", "until", "!", "eval",
];

const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "fish"];

/// Whether a tool of an MCP server named rekal, directly or as part of a plugin.
pub(super) fn is_own_tool(tool: &str) -> bool {
    let is_of = |prefix: &str, join| {
        let behind = tool.strip_prefix(prefix).and_then(|rest| rest.strip_prefix(NAME));
        behind.is_some_and(|rest: &str| rest.starts_with(join))
    };
    // How Gemini CLI, Roo Code and Copilot CLI join the names of a server and its tool.
    if is_of("mcp_", '_') || is_of("mcp--", '-') || is_of("", '-') {
        return true;
    }
    let mut parts = tool.split("__").peekable();
    let first = parts.next();
    let mut server = if first == Some("mcp") { parts.next() } else { first }.unwrap_or_default();
    let has_tool = parts.next().is_some();
    server = server.rsplit(['_', '.']).next().unwrap_or(server);
    has_tool && server == NAME
}

/// Whether a shell command runs rekal, anywhere in it. Quoting it or writing about it does not.
pub(super) fn invokes(command: &str) -> bool {
    command.contains(NAME) && invokes_within(command, 0)
}

fn invokes_within(command: &str, depth: usize) -> bool {
    // A shell in a shell in a shell is no way to call rekal.
    depth < 3
        && commands(&without_heredocs(command))
            .iter()
            .any(|words| runs(words, depth))
}

fn runs(words: &[String], depth: usize) -> bool {
    let mut words = words.iter().map(String::as_str).skip_while(|word| is_assignment(word));
    let Some(first) = words.next() else {
        return false;
    };
    let program = base(first);
    if program == NAME {
        return true;
    }
    if SHELLS.contains(&program) {
        let script = words.clone().skip_while(|word| !is_script_flag(word)).nth(1);
        return script.is_some_and(|script| invokes_within(script, depth + 1));
    }
    if !WRAPPERS.contains(&program) {
        return false;
    }
    // Behind a wrapper's own options and at most one value of theirs: `sudo -u me rekal`.
    let rest: Vec<String> = words.filter(|word| !word.starts_with('-')).map(str::to_owned).collect();
    (0..2).any(|skipped| {
        rest.get(skipped..)
            .is_some_and(|rest| !rest.is_empty() && runs(rest, depth + 1))
    })
}

fn is_script_flag(word: &str) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word.ends_with('c')
}

fn is_assignment(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or_default();
    name.len() < word.len() && !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// A program's name without its folders, `.exe` and an npm version.
fn base(word: &str) -> &str {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let name = name.split_once('@').map_or(name, |(name, _)| name);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// The command without the bodies of its here-documents, which are data.
fn without_heredocs(command: &str) -> String {
    let mut out = String::new();
    let mut until: Option<&str> = None;
    for line in command.split_inclusive('\n') {
        match until {
            Some(end) if line.trim() == end => until = None,
            Some(_) => {}
            None => {
                until = heredoc_end(line);
                out.push_str(line);
            }
        }
    }
    out
}

fn heredoc_end(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("<<")?;
    let after = after.strip_prefix('-').unwrap_or(after).trim_start();
    let word = after.trim_start_matches(['\'', '"', '\\']);
    let length = word
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .unwrap_or(word.len());
    (length > 0 && !before.ends_with('<') && !after.starts_with('<')).then(|| &word[..length])
}

/// The simple commands of a script, as words without their quotes.
fn commands(script: &str) -> Vec<Vec<String>> {
    let mut split = Split::default();
    let mut chars = script.chars().peekable();
    while let Some(c) = chars.next() {
        match (split.quote, c) {
            (Some('\''), '\'') => split.quote = None,
            (Some('\''), c) => split.word.push(c),
            (_, '\\') => split.word.extend(chars.next().filter(|c| *c != '\n')),
            (_, '$') if chars.peek() == Some(&'(') => {
                chars.next();
                split.nest();
            }
            (_, '`') => split.backtick(),
            (Some('"'), '"') => split.quote = None,
            (Some(_), c) => split.word.push(c),
            (None, '\'' | '"') => {
                split.quote = Some(c);
                split.quoted = true;
            }
            (None, ')') => split.unnest(),
            (None, ';' | '&' | '|' | '\n' | '(' | '{' | '}') => split.end_command(),
            (None, c) if c.is_whitespace() => split.end_word(),
            (None, c) => split.word.push(c),
        }
    }
    split.end_command();
    split.commands
}

#[derive(Default)]
struct Split {
    commands: Vec<Vec<String>>,
    words: Vec<String>,
    word: String,
    quote: Option<char>,
    /// Whether the word is there even if it is empty.
    quoted: bool,
    /// The quotes around each `$(` or backtick that is open.
    around: Vec<(Option<char>, bool)>,
}

impl Split {
    fn end_word(&mut self) {
        if !self.word.is_empty() || self.quoted {
            self.words.push(std::mem::take(&mut self.word));
        }
        self.quoted = false;
    }

    fn end_command(&mut self) {
        self.end_word();
        if !self.words.is_empty() {
            self.commands.push(std::mem::take(&mut self.words));
        }
    }

    fn nest(&mut self) {
        self.end_command();
        self.around.push((self.quote.take(), false));
    }

    fn unnest(&mut self) {
        self.end_command();
        if let Some((quote, _)) = self.around.pop() {
            self.quote = quote;
        }
    }

    fn backtick(&mut self) {
        self.end_command();
        match self.around.pop() {
            Some((quote, true)) => self.quote = quote,
            other => {
                self.around.extend(other);
                self.around.push((self.quote.take(), true));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_call_it_is_seen() {
        for command in [
            "rekal \"jwt expiry\"",
            "cd /p && rekal query -s s5",
            "./target/release/rekal recall x | head",
            "RUST_LOG=debug REKAL_BENCH=1 ~/bin/rekal x",
            "sudo -u me rekal x",
            "timeout 10 rekal x",
            "npx -y rekal@latest x",
            "env A=1 rekal x",
            "echo jwt | xargs rekal find",
            "x=$(rekal --json jwt)",
            "echo \"found: $(rekal jwt)\"",
            "echo `rekal jwt`",
            "bash -lc 'cd x; rekal jwt'",
            "if rekal jwt; then echo y; fi",
            "make\n\"/opt/my tools/rekal\" jwt",
            "rekal.exe jwt",
        ] {
            assert!(invokes(command), "{command}");
        }
        for tool in [
            "mcp--rekal--recall",
            "mcp__rekal__recall",
            "mcp__plugin_rekal_rekal__query",
            "rekal__recall",
        ] {
            assert!(is_own_tool(tool), "{tool}");
        }
    }

    #[test]
    fn writing_about_it_is_no_call() {
        for command in [
            "grep -r rekal src",
            "cd /srv/rekal && cargo test",
            "echo \"then rekal; rekal x\"",
            "git commit -m 'Teach; rekal to fold'",
            "cat > README <<'EOF'\nrekal \"jwt\"\nEOF\nls",
            "sudo apt install rekal",
            "vim src/rekal.rs",
            "rekalibrate now",
            "ls # && rekal-old x",
            "cargo run --bin rekal -- x > out",
        ] {
            assert!(!invokes(command), "{command}");
        }
        for tool in ["Bash", "rekal", "mcp__other__rekal", "mcp__rekall__x"] {
            assert!(!is_own_tool(tool), "{tool}");
        }
    }

    #[test]
    fn unfinished_commands_are_survived() {
        for command in [
            "rekal",
            "\"rekal",
            "$(rekal",
            "`",
            "echo 'rekal",
            "a)b)rekal",
            "\\",
            "<<rekal",
            "bash -c rekal -c",
        ] {
            let _ = invokes(command);
        }
        assert!(invokes("$(rekal"));
    }
}

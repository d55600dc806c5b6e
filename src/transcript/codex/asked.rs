//! What a person asked, of what a user message holds.

use super::super::tags;

/// The text without what Codex put around it or in its place.
pub(super) fn asked(text: &str) -> String {
    let text = text.trim();
    if let Some((_, request)) = text.split_once("## My request for Codex:") {
        return request.trim().to_owned();
    }
    if text.starts_with("# AGENTS.md instructions") || text.starts_with("# Context from my IDE setup:") {
        return String::new();
    }
    let is_image = |name: &str| name == "image";
    let rest = tags::behind(text, |name| is_image(name) || is_injected(name, text)).trim();
    rest.strip_suffix("</image>").map_or(rest, str::trim).to_owned()
}

/// Tags of what Codex hands to the model in the user's name. All but a few have an underscore.
fn is_injected(name: &str, text: &str) -> bool {
    matches!(
        name,
        "permissions" | "skill" | "skills" | "instructions" | "INSTRUCTIONS"
    ) || name.contains('_') && text.ends_with(&format!("</{name}>"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_codex_adds_was_not_asked() {
        for text in [
            "<environment_context>\n  <cwd>/p</cwd>\n</environment_context>",
            "<user_instructions>\nbe brief\n</user_instructions>",
            "<permissions instructions>\nnone\n</permissions instructions>",
            "<turn_aborted>\nThe user interrupted.\n</turn_aborted>",
            "<subagent_notification>\n{}\n</subagent_notification>",
            "<skill>\n<name>x</name>\n</skill>",
            "# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>",
            "<image name=[Image #1]>",
            "</image>",
        ] {
            assert_eq!(asked(text), "", "{text}");
        }
    }

    #[test]
    fn the_request_stays() {
        let framed = "# Context from my IDE setup:\n\n## Open tabs:\n- a.rs\n\n## My request for Codex:\nfix a.rs\n";
        assert_eq!(asked(framed), "fix a.rs");
        assert_eq!(asked("<image name=[Image #1]></image>\nwhat is it?"), "what is it?");
        assert_eq!(asked("<my_config> does not load"), "<my_config> does not load");
        assert_eq!(asked("# AGENTS.md is missing"), "# AGENTS.md is missing");
    }
}

/** Names of import formats, and texts of what an import left out. */

import type { ReasonCode } from "../../api/types";
import { reasonLabel } from "../../i18n/reasons";
import { REASON_TEXTS } from "../../i18n/reason-texts";
import { t } from "./messages";

/** Proper names; other formats are translated. */
const FORMAT_NAMES: Record<string, string> = {
  chatgpt: "ChatGPT",
  claude: "Claude",
  "gemini-takeout": "Gemini (Google Takeout)",
  "open-webui": "Open WebUI",
  librechat: "LibreChat",
  "claude-code": "Claude Code",
  codex: "Codex CLI",
  "gemini-cli": "Gemini CLI",
  cursor: "Cursor",
  opencode: "OpenCode",
  mem0: "mem0",
  letta: "Letta",
  mempalace: "MemPalace",
  "basic-memory": "Basic Memory",
};
const FORMAT_WORDS = ["pack", "mcp-memory", "markdown", "pasted-list", "compact", "messages"] as const;

/** Parts of a file that are damaged. */
const DAMAGE = [
  "malformed_json",
  "truncated",
  "unexpected_shape",
  "invalid_date",
  "broken_tree",
  "duplicate_id",
  "unreadable_file",
  "unknown_format",
] as const;
/** Parts that are left out on purpose. */
const INTENDED = [
  "do_not_remember",
  "hidden_message",
  "system_message",
  "tool_message",
  "reasoning",
  "media",
  "empty_text",
  "too_long",
  "injected_text",
  "not_a_statement",
  "forgotten_memory",
] as const;

export function formatName(name: string): string {
  const word = FORMAT_WORDS.find((each) => each === name);
  return word ? t(`format.${word}`) : (FORMAT_NAMES[name] ?? name);
}

export function isDamage(code: string): boolean {
  return DAMAGE.some((each) => each === code);
}

export function omissionText(code: string): string {
  const own = [...DAMAGE, ...INTENDED].find((each) => each === code);
  if (own) return t(`omission.${own}`);
  return code in REASON_TEXTS.en.texts ? reasonLabel(code as ReasonCode) : code;
}

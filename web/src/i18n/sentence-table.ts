/** Translation of English texts of the server by a table of sentences with placeholders. */

import { formatMessage, type Message } from "./translate";

export type PlaceholderSpec = readonly [pattern: string, read: (text: string) => string | number];
export type SentenceTable = readonly (readonly [english: string, portuguese: Message])[];

export const NUMBER: PlaceholderSpec = [
  "-?\\d+(?:,\\d{3})*(?:\\.\\d+)?",
  (text) => Number(text.replaceAll(",", "")),
];
const ANY_TEXT: PlaceholderSpec = [".+?", (text) => text];

/** Return the function that translates a sentence to Portuguese; the first match in the table wins. */
export function compileTable(
  table: SentenceTable,
  placeholders: Readonly<Record<string, PlaceholderSpec>>,
): (text: string) => string | undefined {
  const placeholder = (name: string) => placeholders[name] ?? ANY_TEXT;
  const compiled = table.map(([english, portuguese]) => ({
    pattern: toRegExp(english, (name) => placeholder(name)[0]),
    portuguese,
  }));
  return (text) => {
    for (const { pattern, portuguese } of compiled) {
      const match = pattern.exec(text);
      if (!match) continue;
      const values = Object.entries(match.groups ?? {}).map(([name, value]) => [
        name,
        placeholder(name)[1](value),
      ]);
      return formatMessage(portuguese, Object.fromEntries(values), "pt");
    }
    return undefined;
  };
}

/** Compile an English sentence to a regular expression with a named group for each placeholder. */
function toRegExp(sentence: string, patternOf: (name: string) => string): RegExp {
  const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
  const parts = sentence
    .split(/\{(\w+)\}/)
    .map((part, at) => (at % 2 ? `(?<${part}>${patternOf(part)})` : literal(part)));
  return new RegExp(`^${parts.join("")}$`, "s");
}

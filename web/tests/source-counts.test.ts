import { afterEach, expect, test } from "vitest";

import { countSources } from "$/api/source-counts";
import { describeSources } from "$/i18n/common";
import { language } from "$/i18n/language.svelte";

afterEach(() => language.set("en"));

test("passages are counted as what they are", () => {
  const items = [
    { source: "memory" },
    { source: "message" },
    { source: "message_chunk" },
    { source: "summary" },
  ] as const;

  expect(countSources(items)).toEqual({ memories: 2, messages: 2 });
});

test.each([
  ["en", 1, 7, "1 memory, 7 messages"],
  ["en", 0, 1, "1 message"],
  ["en", 2, 0, "2 memories"],
  ["en", 0, 0, "0 memories"],
  ["pt", 1, 2, "1 memória, 2 mensagens"],
] as const)("the counts in %s of %d memories and %d messages", (code, memories, messages, expected) => {
  language.set(code);

  expect(describeSources({ memories, messages })).toBe(expected);
});

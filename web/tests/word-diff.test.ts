import { expect, test } from "vitest";

import { diffWords } from "$/ui/word-diff";

const shown = (before: string, after: string) =>
  diffWords(before, after)
    .map(({ kind, text }) => (kind === "gone" ? `[-${text}-]` : kind === "new" ? `{+${text}+}` : text))
    .join("");

test.each([
  ["is vegetarian", "is vegetarian", "is vegetarian"],
  ["is vegetarian", "is vegan", "is [-vegetarian-]{+vegan+}"],
  ["lives in Lisbon", "lives in Porto now", "lives in [-Lisbon-]{+Porto now+}"],
  ["", "new", "{+new+}"],
  ["old", "", "[-old-]"],
  ["a b c d", "a x c y", "a [-b-]{+x+} c [-d-]{+y+}"],
  ["mora em São Paulo", "mora em São Luís", "mora em São [-Paulo-]{+Luís+}"],
])("from %j to %j", (before, after, expected) => expect(shown(before, after)).toBe(expected));

test("both texts can be reconstructed", () => {
  const [before, after] = ["one two, three! four", "two three? five four six"];
  const of = (not: string) =>
    diffWords(before, after)
      .filter((piece) => piece.kind !== not)
      .map((piece) => piece.text)
      .join("");

  expect([of("new"), of("gone")]).toEqual([before, after]);
});

test("long texts are shown as one replacement", () => {
  const long = (word: string) => Array.from({ length: 4000 }, (_, at) => `${word}${at}`).join(" ");

  expect(diffWords(long("a"), long("b")).map((piece) => piece.kind)).toEqual(["gone", "new"]);
});

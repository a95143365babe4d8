import { afterEach, expect, test } from "vitest";

import { ago, bytes, number, percent } from "$/words/format";
import { language, preferred } from "$/words/language.svelte";
import { filled, speaker, words } from "$/words/speak";

const say = speaker(
  words(
    { hello: "Hello, {name}", found: { one: "{count} memory", other: "{count} memories" } },
    { hello: "Olá, {name}", found: { one: "{count} memória", many: "{count} de memórias", other: "{count} memórias" } },
  ),
);

afterEach(() => language.choose("en"));

test("a message is filled in, and speaks the language of now", () => {
  expect(say("hello", { name: "Ana" })).toBe("Hello, Ana");
  language.choose("pt");
  expect(say("hello", { name: "Ana" })).toBe("Olá, Ana");
  expect(document.documentElement.lang).toBe("pt-BR");
});

test("what is filled in is not read as a pattern", () => {
  expect(say("hello", { name: "$& {name}" })).toBe("Hello, $& {name}");
});

test.each([
  ["en", 0, "0 memories"],
  ["en", 1, "1 memory"],
  ["en", 2, "2 memories"],
  // Portuguese says one of nothing, and has a form for millions.
  ["pt", 0, "0 memória"],
  ["pt", 1, "1 memória"],
  ["pt", 2, "2 memórias"],
  ["pt", 2_000_000, "2.000.000 de memórias"],
] as const)("plurals in %s of %d", (spoken, count, said) => {
  language.choose(spoken);
  expect(say("found", { count })).toBe(said);
});

test("a plural without its category falls back", () => {
  expect(filled({ other: "{count} x" }, { count: 1 }, "en")).toBe("1 x");
});

test("numbers, shares and sizes are written as the language writes them", () => {
  expect([number(1234.5), percent(0.256, 1), bytes(0), bytes(5_452_595)]).toEqual(["1,234.5", "25.6%", "0 byte", "5.2 MB"]);
  language.choose("pt");
  expect([number(1234.5), percent(0.256, 1)]).toEqual(["1.234,5", "25,6%"]);
});

test.each([
  ["2026-03-02T09:00:00Z", "now"],
  ["2026-03-02T08:57:00Z", "3 minutes ago"],
  ["2026-03-01T09:00:00Z", "yesterday"],
  ["2025-03-01T09:00:00Z", "last year"],
  ["2026-03-04T09:00:00Z", "in 2 days"],
])("%s is %s", (when, said) => {
  expect(ago(when, new Date("2026-03-02T09:00:00Z"))).toBe(said);
});

test("the language is what was chosen, else what the browser speaks first of what we do", () => {
  expect(preferred("pt", ["en-US"])).toBe("pt");
  expect(preferred(null, ["fr", "pt-PT", "en"])).toBe("pt");
  expect(preferred("xx", ["fr"])).toBe("en");
});

import { afterEach, expect, test } from "vitest";

import { ago, bytes, number, percent } from "$/i18n/format";
import { language, preferredLanguage } from "$/i18n/language.svelte";
import { formatMessage, createTranslator, defineMessages } from "$/i18n/translate";

const t = createTranslator(
  defineMessages(
    { hello: "Hello, {name}", found: { one: "{count} memory", other: "{count} memories" } },
    {
      hello: "Olá, {name}",
      found: { one: "{count} memória", many: "{count} de memórias", other: "{count} memórias" },
    },
  ),
);

afterEach(() => language.set("en"));

test("placeholders are filled, and the language can change", () => {
  expect(t("hello", { name: "Ana" })).toBe("Hello, Ana");
  language.set("pt");
  expect(t("hello", { name: "Ana" })).toBe("Olá, Ana");
  expect(document.documentElement.lang).toBe("pt-BR");
});

test("values are not interpreted as patterns", () => {
  expect(t("hello", { name: "$& {name}" })).toBe("Hello, $& {name}");
});

test.each([
  ["en", 0, "0 memories"],
  ["en", 1, "1 memory"],
  ["en", 2, "2 memories"],
  // Portuguese has a form for millions.
  ["pt", 0, "0 memórias"],
  ["pt", 1, "1 memória"],
  ["pt", 2, "2 memórias"],
  ["pt", 2_000_000, "2.000.000 de memórias"],
] as const)("plural in %s for %d", (code, count, expected) => {
  language.set(code);
  expect(t("found", { count })).toBe(expected);
});

test("a missing plural form falls back to other", () => {
  expect(formatMessage({ other: "{count} x" }, { count: 1 }, "en")).toBe("1 x");
});

test("numbers, percentages and sizes follow the language", () => {
  expect([number(1234.5), percent(0.256, 1), bytes(0), bytes(5_452_595)]).toEqual([
    "1,234.5",
    "25.6%",
    "0 byte",
    "5.2 MB",
  ]);
  language.set("pt");
  expect([number(1234.5), percent(0.256, 1)]).toEqual(["1.234,5", "25,6%"]);
});

test.each([
  ["2026-03-02T09:00:00Z", "now"],
  ["2026-03-02T08:57:00Z", "3 minutes ago"],
  ["2026-03-01T09:00:00Z", "yesterday"],
  ["2025-03-01T09:00:00Z", "last year"],
  ["2026-03-04T09:00:00Z", "in 2 days"],
])("%s is %s", (when, expected) => {
  expect(ago(when, new Date("2026-03-02T09:00:00Z"))).toBe(expected);
});

test("the language is the stored one, or else the first supported browser language", () => {
  expect(preferredLanguage("pt", ["en-US"])).toBe("pt");
  expect(preferredLanguage(null, ["fr", "pt-PT", "en"])).toBe("pt");
  expect(preferredLanguage("xx", ["fr"])).toBe("en");
});

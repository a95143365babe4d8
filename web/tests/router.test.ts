import { describe, expect, test } from "vitest";

import { isOurs, match } from "$/app/match";
import { routes } from "$/app/routes";

describe("match", () => {
  test.each([
    ["/chat/:chat?", "/chat", {}],
    ["/chat/:chat?", "/chat/", {}],
    ["/chat/:chat?", "/chat/a%2Fb%20c", { chat: "a/b c" }],
    ["/receipt/:receipt", "/receipt/r1", { receipt: "r1" }],
  ])("%s takes %s", (pattern, path, params) => expect(match(pattern, path)).toEqual(params));

  test.each([
    ["/receipt/:receipt", "/receipt"],
    ["/chat/:chat?", "/chat/a/b"],
    ["/chat/:chat?", "/chats"],
    ["/chat/:chat?", "/chat/%"],
    ["/inbox", "/"],
  ])("%s does not take %s", (pattern, path) => expect(match(pattern, path)).toBeNull());
});

test("every page has an address, a name and a key of its own", () => {
  for (const part of ["path", "name", "key"] as const) {
    const all = routes.map((route) => route[part]).filter(Boolean);
    expect(new Set(all).size).toBe(all.length);
  }
});

test("a link is ours unless the browser was asked for something else", () => {
  const link = document.createElement("a");
  link.href = "/memory";
  const click = (init: MouseEventInit = {}) => new MouseEvent("click", { button: 0, ...init });
  const here = link.origin;

  expect(isOurs(click(), link, here)).toBe(true);
  expect(isOurs(click({ ctrlKey: true }), link, here)).toBe(false);
  expect(isOurs(click({ button: 1 }), link, here)).toBe(false);
  expect(isOurs(click(), link, "https://elsewhere.example")).toBe(false);
  link.rel = "external";
  expect(isOurs(click(), link, here)).toBe(false);
});

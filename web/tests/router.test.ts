import { describe, expect, test } from "vitest";

import { isInternalLink, matchPath } from "$/app/path-matching";
import { routes } from "$/app/routes";

describe("matchPath", () => {
  test.each([
    ["/chat/:chat?", "/chat", {}],
    ["/chat/:chat?", "/chat/", {}],
    ["/chat/:chat?", "/chat/a%2Fb%20c", { chat: "a/b c" }],
    ["/receipt/:receipt", "/receipt/r1", { receipt: "r1" }],
  ])("%s matches %s", (pattern, path, params) => expect(matchPath(pattern, path)).toEqual(params));

  test.each([
    ["/receipt/:receipt", "/receipt"],
    ["/chat/:chat?", "/chat/a/b"],
    ["/chat/:chat?", "/chats"],
    ["/chat/:chat?", "/chat/%"],
    ["/inbox", "/"],
  ])("%s does not match %s", (pattern, path) => expect(matchPath(pattern, path)).toBeNull());
});

test("paths, names and keys of routes are unique", () => {
  for (const part of ["path", "name", "key"] as const) {
    const all = routes.map((route) => route[part]).filter(Boolean);
    expect(new Set(all).size).toBe(all.length);
  }
});

test("a link is internal unless the browser has to handle it", () => {
  const link = document.createElement("a");
  link.href = "/memory";
  const click = (init: MouseEventInit = {}) => new MouseEvent("click", { button: 0, ...init });
  const origin = link.origin;

  expect(isInternalLink(click(), link, origin)).toBe(true);
  expect(isInternalLink(click({ ctrlKey: true }), link, origin)).toBe(false);
  expect(isInternalLink(click({ button: 1 }), link, origin)).toBe(false);
  expect(isInternalLink(click(), link, "https://elsewhere.example")).toBe(false);
  link.rel = "external";
  expect(isInternalLink(click(), link, origin)).toBe(false);
});

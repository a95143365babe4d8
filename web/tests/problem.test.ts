import { expect, test } from "vitest";

import { address, headers } from "$/api/client";
import { connection } from "$/api/connection.svelte";
import { asProblem, offline, told } from "$/api/problem";
import { tell } from "$/words/problems";

test.each([
  ["It broke.", "It broke.", "", ""],
  ["It broke. Try again.", "It broke.", "", "Try again."],
  ["It broke. The disk is full. Free some.", "It broke.", "The disk is full.", "Free some."],
  ["Version 1.2.3 of m.db is old. Run `recollect sync`.", "Version 1.2.3 of m.db is old.", "", "Run `recollect sync`."],
  ["without an end", "without an end", "", ""],
])("%s", (detail, what, why, next) => expect(told(detail)).toEqual([what, why, next]));

test("a problem is read from the server's answer", async () => {
  const body = { type: "x", title: "Gone", status: 404, code: "not_found", detail: "It is gone. Look elsewhere." };
  const response = new Response(JSON.stringify(body), { status: 404, headers: { "X-Request-Id": "r1" } });
  const problem = await asProblem(response);

  expect([problem.code, problem.status, problem.what, problem.next, problem.requestId]).toEqual([
    "not_found",
    404,
    "It is gone.",
    "Look elsewhere.",
    "r1",
  ]);
});

test("what is no problem of the server's is one all the same", async () => {
  const problem = await asProblem(new Response("<html>", { status: 502, statusText: "Bad Gateway" }));

  expect([problem.code, problem.status, problem.what]).toEqual(["unreadable_answer", 502, "Bad Gateway"]);
});

test("nobody answering is told in our own words", () => {
  expect(tell(offline()).next).toContain("recollect up");
});

test("paths are filled in, and nothing empty is asked", () => {
  expect(address("/api/memory/{memory_id}", { path: { memory_id: "a/b?c" } })).toBe("/api/memory/a%2Fb%3Fc");
  expect(address("/api/memory", { query: { kind: "bio", tag: undefined, contains: "" } })).toBe("/api/memory?kind=bio");
});

test("what changes something proves where it comes from, and which version it saw", () => {
  connection.session = { user: "ana", admin: true, csrf: "secret" };

  expect(headers("get", {})).toEqual({ Accept: "application/json" });
  expect(headers("patch", { body: {}, version: 3, key: "k" })).toEqual({
    Accept: "application/json",
    "Content-Type": "application/json",
    "X-CSRF-Token": "secret",
    "If-Match": '"3"',
    "Idempotency-Key": "k",
  });
});

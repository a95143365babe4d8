import { expect, test } from "vitest";

import { buildUrl, buildHeaders } from "$/api/client";
import { connection } from "$/api/connection.svelte";
import { problemFromResponse, offlineProblem, splitDetail } from "$/api/problem";
import { describeProblem } from "$/i18n/problems";

test.each([
  ["It broke.", "It broke.", "", ""],
  ["It broke. Try again.", "It broke.", "", "Try again."],
  ["It broke. The disk is full. Free some.", "It broke.", "The disk is full.", "Free some."],
  [
    "Version 1.2.3 of m.db is old. Run `recollect sync`.",
    "Version 1.2.3 of m.db is old.",
    "",
    "Run `recollect sync`.",
  ],
  ["without an end", "without an end", "", ""],
])("%s", (detail, what, why, next) => expect(splitDetail(detail)).toEqual([what, why, next]));

test("a problem is parsed from an error response", async () => {
  const body = {
    type: "x",
    title: "Gone",
    status: 404,
    code: "not_found",
    detail: "It is gone. Look elsewhere.",
  };
  const response = new Response(JSON.stringify(body), { status: 404, headers: { "X-Request-Id": "r1" } });
  const problem = await problemFromResponse(response);

  expect([problem.code, problem.status, problem.what, problem.next, problem.requestId]).toEqual([
    "not_found",
    404,
    "It is gone.",
    "Look elsewhere.",
    "r1",
  ]);
});

test("an error response of another type becomes a problem too", async () => {
  const problem = await problemFromResponse(
    new Response("<html>", { status: 502, statusText: "Bad Gateway" }),
  );

  expect([problem.code, problem.status, problem.what]).toEqual(["unreadable_answer", 502, "Bad Gateway"]);
});

test("being offline has its own text", () => {
  expect(describeProblem(offlineProblem()).next).toContain("recollect up");
});

test("path parameters are encoded, and empty query values are omitted", () => {
  expect(buildUrl("/api/memory/{memory_id}", { path: { memory_id: "a/b?c" } })).toBe("/api/memory/a%2Fb%3Fc");
  expect(buildUrl("/api/memory", { query: { kind: "biography", tag: undefined, contains: "" } })).toBe(
    "/api/memory?kind=biography",
  );
});

test("changes send the CSRF token and the expected version", () => {
  connection.session = { user: "ana", admin: true, csrf: "secret" };

  expect(buildHeaders("get", {})).toEqual({ Accept: "application/json" });
  expect(buildHeaders("patch", { body: {}, version: 3, key: "k" })).toEqual({
    Accept: "application/json",
    "Content-Type": "application/json",
    "X-CSRF-Token": "secret",
    "If-Match": '"3"',
    "Idempotency-Key": "k",
  });
});

import { describe, expect, it } from "vitest";

import type { Item, Setting } from "../src/api/types";
import { byStage, reason, stageOf } from "../src/pages/analytics/reasons";
import { hits, latency, partsOf, rangeOf, seconds, sorted, type Step } from "../src/pages/analytics/series";
import { lines } from "../src/pages/connect/lines";
import { rows, total } from "../src/pages/connect/pack";
import { different, groupOf, isTried, labels, leftOut, handed, move, pause, presetValues, slide } from "../src/pages/lab/numbers";
import { changes, formOf, further } from "../src/pages/profile/form";
import { answerOf, counted, sentence } from "../src/pages/profile/rows";
import { groupOf as settingGroup, grouped, matching, range, shown, typed, whence, written } from "../src/pages/settings/values";
import { check, isCommand, work } from "../src/pages/status/names";
import { stamped } from "../src/ui/download";
import { language } from "../src/words/language.svelte";

function setting(more: Partial<Setting> & { name: string }): Setting {
  return {
    value: 1, source: "default", origin: "", doc: "What it does.", takes: "", personal: true, kind: "whole number",
    choices: [], low: 0, high: null, default: 1, environment: [], secret: false, ...more,
  };
}

describe("the profile's form", () => {
  const profile = {
    id: "ana", preferences: { codingStyle: "small", preferredLanguages: ["Python", "Go"] }, context: { domain: "games" },
    freeformNotes: "Hi", extra: { pronouns: "she" }, updatedAt: null,
  };

  it("writes lists with commas and keeps what others added", () => {
    const form = formOf(profile);
    expect(form["preferredLanguages"]).toBe("Python, Go");
    expect(form["constraints"]).toBe("");
    expect(further(form)).toEqual(["pronouns"]);
  });

  it("sends what was changed and nothing else, emptied fields included", () => {
    const before = formOf(profile);
    const after = { ...before, domain: "", preferredLanguages: "Python,  Rust, ", freeformNotes: "Hi " };
    expect(changes(before, after)).toEqual({ domain: "", preferredLanguages: ["Python", "Rust"] });
  });

  it("counts in words, and leaves out what is not there", () => {
    expect(counted({ memories: 1, conversation_summaries: 2, jobs: 0 })).toEqual(["1 memory", "2 summaries"]);
    expect(sentence({ chats: 2, messages: 1 })).toBe("2 chats and 1 message");
  });

  it("reads answers from the ledger, and nothing else", () => {
    expect(answerOf('{"category": "emo", "erased": {"memories": 2}}')).toEqual({ category: "emo", erased: { memories: 2 } });
    expect(answerOf("memory: memories 1")).toBeUndefined();
    expect(answerOf("{broken")).toBeUndefined();
  });
});

describe("settings", () => {
  it("are grouped by their first word, those of the machine last", () => {
    const all = [setting({ name: "db" }), setting({ name: "recall.limit" }), setting({ name: "preset" })];
    expect(all.map((each) => settingGroup(each.name))).toEqual(["machine", "recall", "preset"]);
    expect(grouped(all).map((each) => each.group)).toEqual(["preset", "recall", "machine"]);
  });

  it("are found by name, help and variable, with all words", () => {
    const all = [setting({ name: "recall.hybrid", environment: ["RAG_HYBRID"] }), setting({ name: "recall.limit" })];
    const found = (words: string) => matching(all, words, () => "how many").map((each) => each.name);
    expect(found("rag_hy")).toEqual(["recall.hybrid"]);
    expect(found("LIMIT many")).toEqual(["recall.limit"]);
    expect(found("nowhere")).toEqual([]);
  });

  it("are shown in words, secrets never", () => {
    expect(shown({ value: true, secret: false })).toBe("on");
    expect(shown({ value: ["a", "b"], secret: false })).toBe("a, b");
    expect(shown({ value: "", secret: false })).toBe("not set");
    expect(shown({ value: "sk-1", secret: true })).toBe("hidden");
  });

  it("are read as the server takes them", () => {
    expect(typed("whole number", " 12 ")).toBe(12);
    expect(typed("number", "0,5")).toBe(0.5);
    expect(typed("number", "many")).toBe("many");
    expect(typed("list", "a, ,b")).toEqual(["a", "b"]);
    expect(written(["a", "b"])).toBe("a, b");
  });

  it("say what they take and where they come from", () => {
    expect(range({ low: 0, high: 1 })).toBe("0 to 1");
    expect(range({ low: 1, high: null })).toBe("1 or more");
    expect(whence({ source: "environment", origin: "RAG_HYBRID" })).toBe("from the variable RAG_HYBRID");
    expect(whence({ source: "preference", origin: "preferences" })).toBe("your choice");
  });
});

describe("analytics", () => {
  const step = (more: Partial<Step>): Step => ({
    at: "2026-03-01T00:00:00+00:00", recalls: 0, hitRate: 0, topSimilarity: null, latency: {}, budgetUsed: null,
    degraded: 0, contentTypes: {}, summaries: 0, receipt: null, ...more,
  });

  it("leaves gaps where nothing was recalled", () => {
    const steps = [step({}), step({ recalls: 2, hitRate: 0.5, latency: { total: { p50: 1, p95: 2, p99: 3 } } })];
    expect(hits(steps)).toEqual([null, 0.5]);
    expect(latency(steps, "total", "p95")).toEqual([null, 2]);
    expect(seconds(steps)[0]).toBe(1772323200);
  });

  it("orders parts as they happen and counts by size", () => {
    expect(partsOf({ rank: { p50: 1, p95: 1 }, total: { p50: 1, p95: 1 } })).toEqual(["total", "rank"]);
    expect(sorted({ a: 1, b: 3, c: 0 })).toEqual([["b", 3], ["a", 1]]);
    expect(rangeOf("720")).toBe(720);
    expect(rangeOf("nonsense")).toBe(168);
  });

  it("tells stages of the funnel apart", () => {
    expect(["too short", "gold: my budget", "masked: key", "not trivial"].map(stageOf)).toEqual(["sifted", "judged", "masked", "judged"]);
    expect(byStage({ "too short": 2, laughter: 1, "not trivial": 4 }).map(({ stage, count }) => [stage, count])).toEqual([["sifted", 3], ["judged", 4]]);
  });

  it("says reasons in the language of now", () => {
    expect(reason("over budget…")).toBe("no room in the budget");
    language.choose("pt");
    expect(reason("over budget…")).toBe("sem espaço no orçamento");
    language.choose("en");
    expect(reason("something new")).toBe("something new");
  });
});

describe("connecting", () => {
  it("puts this server's address into every line", () => {
    expect(lines("openai", "http://127.0.0.1:8765")).toBe("export OPENAI_BASE_URL=http://127.0.0.1:8765/v1");
    expect(lines("anthropic", "http://h")).toBe("export ANTHROPIC_BASE_URL=http://h");
    expect(lines("ollama", "http://h")).toContain("OLLAMA_HOST=http://h/v1");
    expect(lines("curl", "http://h")).toContain("http://h/api/memory/search");
    expect(lines("openaiPython", "http://h")).toContain('base_url="http://h/v1"');
  });

  it("counts what a pack brings by part", () => {
    const account = { dry_run: true, imported: { memories: 2, chats: 1 }, known: { memories: 3, profile: 1 }, left_out: [] };
    expect(total(account)).toBe(3);
    expect(rows(account)).toEqual([
      { part: "chats", fresh: 1, known: 0 },
      { part: "memories", fresh: 2, known: 3 },
      { part: "profile", fresh: 0, known: 1 },
    ]);
  });
});

describe("health", () => {
  it("names what the server names, and knows a command from a sentence", () => {
    expect(check("full text")).toBe("Word index");
    expect(check("something new")).toBe("something new");
    expect(work("judge")).toBe("Learning");
    expect(isCommand("recollect repair")).toBe(true);
    expect(isCommand("free some space")).toBe(false);
  });

  it("gives files a name with the moment in it", () => {
    expect(stamped("pack", "jsonl", new Date("2026-03-01T09:30:00Z"))).toBe("pack-2026-03-01T09-30.jsonl");
  });
});

describe("the lab", () => {
  it("has sliders that reach what holds", () => {
    expect(slide(setting({ name: "recall.limit", low: 1, value: 8, default: 8 }))).toEqual({ min: 1, max: 50, step: 1 });
    expect(slide(setting({ name: "recall.limit", low: 1, value: 400, default: 8 })).max).toBe(400);
    expect(slide(setting({ name: "recall.min_cosine", kind: "number", low: -1, high: 1, value: -1 }))).toEqual({ min: -1, max: 1, step: 0.01 });
    expect(slide(setting({ name: "recall.lexical_lead_weight", kind: "number", value: 1.5, default: 1.5 })).max).toBe(3);
  });

  it("tries what is about recall and not about whether", () => {
    expect(["recall.alpha", "recall.enabled", "context.budget"].map((name) => isTried(setting({ name })))).toEqual([true, false, false]);
    expect(["recall.alpha", "recall.limit", "recall.lexical_lead_weight", "recall.topic_filter"].map(groupOf)).toEqual(["main", "size", "evidence", "rest"]);
  });

  it("sends only what differs, and a preset as numbers of its own", () => {
    const all = [setting({ name: "recall.limit", value: 3, default: 8 }), setting({ name: "recall.alpha", value: 0.6, default: 0.6 })];
    expect(different({ "recall.limit": 3, "recall.alpha": 0.2, "recall.unknown": 1 }, all)).toEqual({ "recall.alpha": 0.2 });
    expect(presetValues(all, { "recall.alpha": 0.1 })).toEqual({ "recall.limit": 8, "recall.alpha": 0.1 });
  });

  it("says how far a passage moved", () => {
    const before = ["a", "b", "c"];
    expect(move("c", 0, before)).toEqual({ kind: "up", by: 2 });
    expect(move("a", 1, before)).toEqual({ kind: "down", by: 1 });
    expect(move("b", 1, before)).toEqual({ kind: "same" });
    expect(move("x", 0, before)).toEqual({ kind: "new" });
  });

  it("parts what was handed on from what was left out", () => {
    const items = [{ fate: "returned" }, { fate: "left_out" }] as Item[];
    expect([handed(items).length, leftOut(items).length]).toEqual([1, 1]);
  });

  it("reads labels line by line and names the first bad one", () => {
    const good = '{"query": "tea", "relevant": ["green tea"]}';
    expect(labels(`${good}\n\n${good}\n`)).toEqual({ labels: [{ query: "tea", relevant: ["green tea"] }, { query: "tea", relevant: ["green tea"] }], bad: undefined });
    expect(labels(`${good}\nnonsense`).bad).toBe(2);
    expect(labels('{"query": "tea"}').bad).toBe(1);
    expect(labels("null").bad).toBe(1);
  });

  it("does not go on when nobody wants it any more", async () => {
    const controller = new AbortController();
    const waiting = pause(10_000, controller.signal);
    controller.abort();
    await expect(waiting).rejects.toThrow(DOMException);
  });
});

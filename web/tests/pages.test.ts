import { describe, expect, it } from "vitest";

import type { Item, Setting } from "../src/api/types";
import type { ReasonCount } from "../src/api/types";
import { groupByStage, stageOf } from "../src/pages/analytics/funnel";
import {
  hitRateSeries,
  latencySeries,
  measuredParts,
  parseRange,
  toSeconds,
  sortByCount,
  type Step,
} from "../src/pages/analytics/time-series";
import { clientSnippet } from "../src/pages/connect/snippets";
import { countNew, parseImportEvent, type ImportReport } from "../src/pages/connect/file-import.svelte";
import { duration } from "../src/i18n/format";
import { formatName, isDamage, omissionText } from "../src/pages/connect/labels";
import {
  changedValues,
  parameterGroup,
  isTunable,
  parseLabels,
  leftOutItems,
  includedItems,
  rankChange,
  debounce,
  presetParameters,
  sliderRange,
} from "../src/pages/tuning/parameters";
import { changedFields, toForm, extraFields } from "../src/pages/profile/profile-form";
import { parseConsentDetail, formatCounts, joinCounts } from "../src/pages/profile/row-counts";
import {
  settingGroup,
  groupSettings,
  filterSettings,
  describeRange,
  displayValue,
  parseInput,
  describeSource,
  toInputText,
} from "../src/pages/settings/setting-values";
import { checkLabel, isCommand, jobLabel } from "../src/pages/health/labels";
import { timestampedName } from "../src/ui/download";

function setting(more: Partial<Setting> & { name: string }): Setting {
  return {
    value: 1,
    source: "default",
    origin: "",
    doc: "What it does.",
    takes: "",
    personal: true,
    kind: "whole number",
    choices: [],
    low: 0,
    high: null,
    default: 1,
    environment: [],
    secret: false,
    ...more,
  };
}

describe("profile form", () => {
  const profile = {
    id: "ana",
    preferences: { codingStyle: "small", preferredLanguages: ["Python", "Go"] },
    context: { domain: "games" },
    freeformNotes: "Hi",
    extra: { pronouns: "she" },
    updatedAt: null,
  };

  it("joins lists with commas and keeps fields of other clients", () => {
    const form = toForm(profile);
    expect(form["preferredLanguages"]).toBe("Python, Go");
    expect(form["constraints"]).toBe("");
    expect(extraFields(form)).toEqual(["pronouns"]);
  });

  it("sends only changed fields, emptied ones included", () => {
    const before = toForm(profile);
    const after = { ...before, domain: "", preferredLanguages: "Python,  Rust, ", freeformNotes: "Hi " };
    expect(changedFields(before, after)).toEqual({ domain: "", preferredLanguages: ["Python", "Rust"] });
  });

  it("formats counts and skips zeros", () => {
    expect(formatCounts({ memories: 1, conversation_summaries: 2, jobs: 0 })).toEqual([
      "1 memory",
      "2 summaries",
    ]);
    expect(joinCounts({ chats: 2, messages: 1 })).toBe("2 chats and 1 message");
  });

  it("parses consent entries and nothing else", () => {
    expect(parseConsentDetail('{"category": "emotion", "erased": {"memories": 2}}')).toEqual({
      category: "emotion",
      erased: { memories: 2 },
    });
    expect(parseConsentDetail("memory: memories 1")).toBeUndefined();
    expect(parseConsentDetail("{broken")).toBeUndefined();
  });
});

describe("settings", () => {
  it("are grouped by prefix, server settings last", () => {
    const all = [setting({ name: "db" }), setting({ name: "recall.limit" }), setting({ name: "preset" })];
    expect(all.map((each) => settingGroup(each.name))).toEqual(["machine", "recall", "preset"]);
    expect(groupSettings(all).map((each) => each.group)).toEqual(["preset", "recall", "machine"]);
  });

  it("are found by name, help and variable, with all terms", () => {
    const all = [
      setting({ name: "recall.hybrid", environment: ["RAG_HYBRID"] }),
      setting({ name: "recall.limit" }),
    ];
    const matchingNames = (searchText: string) =>
      filterSettings(all, searchText, () => "how many").map((each) => each.name);
    expect(matchingNames("rag_hy")).toEqual(["recall.hybrid"]);
    expect(matchingNames("LIMIT many")).toEqual(["recall.limit"]);
    expect(matchingNames("nowhere")).toEqual([]);
  });

  it("are displayed as text, secrets never", () => {
    expect(displayValue({ value: true, secret: false })).toBe("on");
    expect(displayValue({ value: ["a", "b"], secret: false })).toBe("a, b");
    expect(displayValue({ value: "", secret: false })).toBe("not set");
    expect(displayValue({ value: "sk-1", secret: true })).toBe("hidden");
  });

  it("are parsed as the server expects them", () => {
    expect(parseInput("whole number", " 12 ")).toBe(12);
    expect(parseInput("number", "0,5")).toBe(0.5);
    expect(parseInput("number", "many")).toBe("many");
    expect(parseInput("list", "a, ,b")).toEqual(["a", "b"]);
    expect(toInputText(["a", "b"])).toBe("a, b");
  });

  it("show their range and source", () => {
    expect(describeRange({ low: 0, high: 1 })).toBe("0 to 1");
    expect(describeRange({ low: 1, high: null })).toBe("1 or more");
    expect(describeSource({ source: "environment", origin: "RAG_HYBRID" })).toBe("from variable RAG_HYBRID");
    expect(describeSource({ source: "preference", origin: "preferences" })).toBe("set by you");
  });
});

describe("analytics", () => {
  const step = (more: Partial<Step>): Step => ({
    at: "2026-03-01T00:00:00+00:00",
    recalls: 0,
    hitRate: 0,
    topSimilarity: null,
    latency: {},
    budgetUsed: null,
    degraded: 0,
    contentTypes: {},
    summaries: 0,
    receipt: null,
    ...more,
  });

  it("has gaps where nothing was recalled", () => {
    const steps = [
      step({}),
      step({ recalls: 2, hitRate: 0.5, latency: { total: { p50: 1, p95: 2, p99: 3 } } }),
    ];
    expect(hitRateSeries(steps)).toEqual([null, 0.5]);
    expect(latencySeries(steps, "total", "p95")).toEqual([null, 2]);
    expect(toSeconds(steps)[0]).toBe(1772323200);
  });

  it("orders stages by execution and counts by size", () => {
    expect(measuredParts({ rank: { p50: 1, p95: 1 }, total: { p50: 1, p95: 1 } })).toEqual(["total", "rank"]);
    expect(sortByCount({ a: 1, b: 3, c: 0 })).toEqual([
      ["b", 3],
      ["a", 1],
    ]);
    expect(parseRange("720")).toBe(720);
    expect(parseRange("nonsense")).toBe(168);
  });

  it("groups reasons by stage", () => {
    const count = (code: ReasonCount["code"], number: number): ReasonCount => ({
      code,
      params: {},
      text: "",
      count: number,
    });
    const codes = ["too_short", "keep_phrase", "secret_redacted", "not_trivial"] as const;

    expect(codes.map(stageOf)).toEqual(["sifted", "judged", "masked", "judged"]);
    expect(
      groupByStage([count("too_short", 2), count("laughter", 1), count("not_trivial", 4)]).map((each) => [
        each.stage,
        each.count,
      ]),
    ).toEqual([
      ["sifted", 3],
      ["judged", 4],
    ]);
  });
});

describe("connect", () => {
  it("puts the server's address into every snippet", () => {
    expect(clientSnippet("openai", "http://127.0.0.1:8765")).toBe(
      "export OPENAI_BASE_URL=http://127.0.0.1:8765/v1",
    );
    expect(clientSnippet("anthropic", "http://h")).toBe("export ANTHROPIC_BASE_URL=http://h");
    expect(clientSnippet("ollama", "http://h")).toContain("OLLAMA_HOST=http://h/v1");
    expect(clientSnippet("curl", "http://h")).toContain("http://h/api/memory/search");
    expect(clientSnippet("openaiPython", "http://h")).toContain('base_url="http://h/v1"');
  });

  it("counts what an import adds, without duplicates", () => {
    const report = { messages: 4, memories: 2, context_files: 1, duplicates: 9 } as ImportReport;
    expect(countNew(report)).toBe(7);
    expect(countNew(undefined)).toBe(0);
  });

  it("parses the events of an import", () => {
    expect(parseImportEvent("progress", '{"items":3}')).toEqual({
      event: "progress",
      progress: { items: 3 },
    });
    expect(parseImportEvent("done", '{"messages":3}')).toEqual({ event: "done", report: { messages: 3 } });
    const problem = '{"code":"invalid_input","title":"","status":422,"detail":"It is damaged."}';
    expect(() => parseImportEvent("error", problem)).toThrow("It is damaged.");
  });

  it("names formats and what was left out", () => {
    expect(formatName("claude-code")).toBe("Claude Code");
    expect(formatName("pasted-list")).toBe("List of statements");
    expect(formatName("something-new")).toBe("something-new");
    expect(omissionText("do_not_remember")).toBe("conversation excluded from memory there");
    expect(omissionText("no_consent")).not.toBe("no_consent");
    expect(omissionText("something_new")).toBe("something_new");
    expect([isDamage("truncated"), isDamage("media")]).toEqual([true, false]);
  });

  it("describes durations", () => {
    expect(duration(0.2)).toBe("1 sec");
    expect(duration(80)).toBe("80 sec");
    expect(duration(600)).toBe("10 min");
    expect(duration(3600 * 2 + 300)).toBe("2 hr 5 min");
  });
});

describe("health", () => {
  it("labels checks and jobs, and recognizes commands", () => {
    expect(checkLabel("full text")).toBe("Full-text index");
    expect(checkLabel("something new")).toBe("something new");
    expect(jobLabel("extract")).toBe("Extraction");
    expect(isCommand("recollect repair")).toBe(true);
    expect(isCommand("free some space")).toBe(false);
  });

  it("puts a timestamp into file names", () => {
    expect(timestampedName("pack", "jsonl", new Date("2026-03-01T09:30:00Z"))).toBe(
      "pack-2026-03-01T09-30.jsonl",
    );
  });
});

describe("tuning", () => {
  it("has sliders that include the current value", () => {
    expect(sliderRange(setting({ name: "recall.limit", low: 1, value: 8, default: 8 }))).toEqual({
      min: 1,
      max: 50,
      step: 1,
    });
    expect(sliderRange(setting({ name: "recall.limit", low: 1, value: 400, default: 8 })).max).toBe(400);
    expect(
      sliderRange(setting({ name: "recall.min_cosine", kind: "number", low: -1, high: 1, value: -1 })),
    ).toEqual({
      min: -1,
      max: 1,
      step: 0.01,
    });
    expect(
      sliderRange(setting({ name: "recall.lexical_lead_weight", kind: "number", value: 1.5, default: 1.5 }))
        .max,
    ).toBe(3);
  });

  it("tunes ranking parameters only", () => {
    expect(
      ["recall.alpha", "recall.enabled", "context.budget"].map((name) => isTunable(setting({ name }))),
    ).toEqual([true, false, false]);
    expect(
      ["recall.alpha", "recall.limit", "recall.lexical_lead_weight", "recall.topic_filter"].map(
        parameterGroup,
      ),
    ).toEqual(["main", "size", "evidence", "rest"]);
  });

  it("sends only changed values, and a preset with its defaults", () => {
    const all = [
      setting({ name: "recall.limit", value: 3, default: 8 }),
      setting({ name: "recall.alpha", value: 0.6, default: 0.6 }),
    ];
    expect(changedValues({ "recall.limit": 3, "recall.alpha": 0.2, "recall.unknown": 1 }, all)).toEqual({
      "recall.alpha": 0.2,
    });
    expect(presetParameters(all, { "recall.alpha": 0.1 })).toEqual({
      "recall.limit": 8,
      "recall.alpha": 0.1,
    });
  });

  it("computes rank changes", () => {
    const before = ["a", "b", "c"];
    expect(rankChange("c", 0, before)).toEqual({ kind: "up", by: 2 });
    expect(rankChange("a", 1, before)).toEqual({ kind: "down", by: 1 });
    expect(rankChange("b", 1, before)).toEqual({ kind: "same" });
    expect(rankChange("x", 0, before)).toEqual({ kind: "new" });
  });

  it("separates included from left-out items", () => {
    const items = [{ disposition: "returned" }, { disposition: "left_out" }] as Item[];
    expect([includedItems(items).length, leftOutItems(items).length]).toEqual([1, 1]);
  });

  it("parses labels line by line and reports the first bad line", () => {
    const good = '{"query": "tea", "relevant": ["green tea"]}';
    expect(parseLabels(`${good}\n\n${good}\n`)).toEqual({
      labels: [
        { query: "tea", relevant: ["green tea"] },
        { query: "tea", relevant: ["green tea"] },
      ],
      bad: undefined,
    });
    expect(parseLabels(`${good}\nnonsense`).bad).toBe(2);
    expect(parseLabels('{"query": "tea"}').bad).toBe(1);
    expect(parseLabels("null").bad).toBe(1);
  });

  it("rejects when aborted", async () => {
    const controller = new AbortController();
    const reviewCount = debounce(10_000, controller.signal);
    controller.abort();
    await expect(reviewCount).rejects.toThrow(DOMException);
  });
});

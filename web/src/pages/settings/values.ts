/** Settings: how they are grouped, found, shown and read from what was typed. */

import type { Setting } from "../../api/types";
import { say as common } from "../../words/common";
import { say } from "./words";

export const GROUPS = [
  "preset",
  "memory",
  "recall",
  "assemble",
  "summaries",
  "chunking",
  "collect",
  "funnel",
  "extract",
  "keep",
  "decay",
  "spend",
  "clip",
  "record",
  "machine",
] as const;
export type Group = (typeof GROUPS)[number];
export type Value = Setting["value"];

export function groupOf(name: string): Group {
  const first = name.includes(".") ? (name.split(".")[0] ?? "") : name;
  return GROUPS.find((each) => each === first) ?? "machine";
}

export function grouped(settings: readonly Setting[]): { group: Group; settings: Setting[] }[] {
  return GROUPS.map((group) => ({ group, settings: settings.filter((each) => groupOf(each.name) === group) })).filter(
    (each) => each.settings.length > 0,
  );
}

/** Those with all of the words in their name, their help or their variables. */
export function matching(settings: readonly Setting[], words: string, help: (setting: Setting) => string): Setting[] {
  const wanted = words.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return settings.filter((each) => {
    const text = [each.name, help(each), each.doc, ...each.environment].join(" ").toLocaleLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

export function shown(setting: Pick<Setting, "value" | "secret">): string {
  const { value } = setting;
  if (setting.secret) return value ? say("hidden") : say("nothing");
  if (typeof value === "boolean") return value ? common("on") : common("off");
  if (value === null || value === "" || (Array.isArray(value) && value.length === 0)) return say("nothing");
  return Array.isArray(value) ? value.join(", ") : String(value);
}

/** As it stands in a field. */
export function written(value: Value): string {
  return Array.isArray(value) ? value.join(", ") : value === null ? "" : String(value);
}

/** What was typed, as the server takes it; a number that is none is left to the server to refuse, with its reason. */
export function typed(kind: string, text: string): boolean | number | string | string[] {
  if (kind === "list") {
    return text
      .split(",")
      .map((each) => each.trim())
      .filter(Boolean);
  }
  const number = Number(text.trim().replace(",", "."));
  return kind.endsWith("number") && text.trim() !== "" && Number.isFinite(number) ? number : text.trim();
}

/** What a number may be, in words. */
export function range(setting: Pick<Setting, "low" | "high">): string | undefined {
  if (setting.low === null) return undefined;
  return setting.high === null ? say("atLeast", { low: setting.low }) : say("range", { low: setting.low, high: setting.high });
}

export function whence(setting: Pick<Setting, "source" | "origin">): string {
  const { origin } = setting;
  switch (setting.source) {
    case "preset":
    case "file":
    case "environment":
      return say(`from.${setting.source}`, { origin });
    case "preference":
    case "call":
      return say(`from.${setting.source}`);
    default:
      return say("from.default");
  }
}

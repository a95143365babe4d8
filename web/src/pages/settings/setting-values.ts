/** Grouping, filtering, display and parsing of settings. */

import type { Setting } from "../../api/types";
import { t as common } from "../../i18n/common";
import { t } from "./messages";

export const SETTING_GROUPS = [
  "preset",
  "memory",
  "recall",
  "context",
  "summaries",
  "chunking",
  "collect",
  "triage",
  "extraction",
  "consolidation",
  "decay",
  "spending",
  "truncation",
  "receipts",
  "machine",
] as const;
export type SettingGroup = (typeof SETTING_GROUPS)[number];
export type SettingValue = Setting["value"];

export function settingGroup(name: string): SettingGroup {
  const first = name.includes(".") ? (name.split(".")[0] ?? "") : name;
  return SETTING_GROUPS.find((each) => each === first) ?? "machine";
}

export function groupSettings(settings: readonly Setting[]): { group: SettingGroup; settings: Setting[] }[] {
  return SETTING_GROUPS.map((group) => ({
    group,
    settings: settings.filter((each) => settingGroup(each.name) === group),
  })).filter((each) => each.settings.length > 0);
}

/** Settings whose name, help or environment variables contain all search terms. */
export function filterSettings(
  settings: readonly Setting[],
  searchText: string,
  help: (setting: Setting) => string,
): Setting[] {
  const terms = searchText.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return settings.filter((each) => {
    const text = [each.name, help(each), each.doc, ...each.environment].join(" ").toLocaleLowerCase();
    return terms.every((word) => text.includes(word));
  });
}

export function displayValue(setting: Pick<Setting, "value" | "secret">): string {
  const { value } = setting;
  if (setting.secret) return value ? t("hidden") : t("nothing");
  if (typeof value === "boolean") return value ? common("on") : common("off");
  if (value === null || value === "" || (Array.isArray(value) && value.length === 0)) return t("nothing");
  return Array.isArray(value) ? value.join(", ") : String(value);
}

/** Value as text for an input. */
export function toInputText(value: SettingValue): string {
  return Array.isArray(value) ? value.join(", ") : value === null ? "" : String(value);
}

/** Parse an input. An invalid number is sent as text, so that the server's error explains it. */
export function parseInput(kind: string, text: string): boolean | number | string | string[] {
  if (kind === "list") {
    return text
      .split(",")
      .map((each) => each.trim())
      .filter(Boolean);
  }
  const number = Number(text.trim().replace(",", "."));
  return kind.endsWith("number") && text.trim() !== "" && Number.isFinite(number) ? number : text.trim();
}

/** Allowed range of a number. */
export function describeRange(setting: Pick<Setting, "low" | "high">): string | undefined {
  if (setting.low === null) return undefined;
  return setting.high === null
    ? t("atLeast", { low: setting.low })
    : t("range", { low: setting.low, high: setting.high });
}

export function describeSource(setting: Pick<Setting, "source" | "origin">): string {
  const { origin } = setting;
  switch (setting.source) {
    case "preset":
    case "file":
    case "environment":
      return t(`from.${setting.source}`, { origin });
    case "preference":
    case "call":
      return t(`from.${setting.source}`);
    default:
      return t("from.default");
  }
}

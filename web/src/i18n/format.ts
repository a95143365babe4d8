/** Locale-aware formatting of numbers, dates and sizes. */

import { language } from "./language.svelte";

const DAY = 24 * 3600;
const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * DAY],
  ["month", 30 * DAY],
  ["week", 7 * DAY],
  ["day", DAY],
  ["hour", 3600],
  ["minute", 60],
];
const BYTES = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];

export function number(value: number, options?: Intl.NumberFormatOptions): string {
  return new Intl.NumberFormat(language.tag, options).format(value);
}

export function percent(share: number, digits = 0): string {
  return number(share, { style: "percent", maximumFractionDigits: digits });
}

export function bytes(size: number): string {
  const step = Math.min(size > 0 ? Math.floor(Math.log(size) / Math.log(1024)) : 0, BYTES.length - 1);
  return number(size / 1024 ** step, {
    style: "unit",
    unit: BYTES[step] ?? "byte",
    unitDisplay: "short",
    maximumFractionDigits: step ? 1 : 0,
  });
}

export function milliseconds(spent: number): string {
  return number(spent, { style: "unit", unit: "millisecond", maximumFractionDigits: spent < 10 ? 1 : 0 });
}

/** "45 sec", "12 min", "1 hr, 5 min" */
export function duration(seconds: number): string {
  const rounded = Math.max(1, Math.round(seconds));
  const minutes = Math.round(rounded / 60);
  const parts: [number, string][] =
    rounded < 90
      ? [[rounded, "second"]]
      : minutes < 90
        ? [[minutes, "minute"]]
        : [
            [Math.floor(minutes / 60), "hour"],
            [minutes % 60, "minute"],
          ];
  return parts
    .filter(([value]) => value > 0)
    .map(([value, unit]) => number(value, { style: "unit", unit, unitDisplay: "short" }))
    .join(" ");
}

export function day(when: string | Date): string {
  return new Intl.DateTimeFormat(language.tag, { dateStyle: "medium" }).format(new Date(when));
}

/** "3 Mar": short form without the year. */
export function dayMonth(when: string | Date): string {
  return new Intl.DateTimeFormat(language.tag, { day: "numeric", month: "short" }).format(new Date(when));
}

export function moment(when: string | Date): string {
  return new Intl.DateTimeFormat(language.tag, { dateStyle: "medium", timeStyle: "short" }).format(
    new Date(when),
  );
}

export function clock(when: string | Date): string {
  return new Intl.DateTimeFormat(language.tag, { timeStyle: "short" }).format(new Date(when));
}

/** "3 days ago" */
export function ago(when: string | Date, now: Date = new Date()): string {
  const seconds = (new Date(when).getTime() - now.getTime()) / 1000;
  const formatter = new Intl.RelativeTimeFormat(language.tag, { numeric: "auto" });
  const [unit, size] = STEPS.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1];
  return formatter.format(unit === "second" ? 0 : Math.round(seconds / size), unit);
}

/** "tea, coffee and mate" */
export function list(parts: readonly string[]): string {
  return new Intl.ListFormat(language.tag, { type: "conjunction" }).format(parts);
}

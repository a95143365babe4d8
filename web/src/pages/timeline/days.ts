/** Grouping of events by local day. */

import type { EventAction, TimelineEntry } from "../../api/types";

export interface DayEvents {
  /** 2026-03-02 */
  date: string;
  events: TimelineEntry[];
}

export const EVENT_GROUPS = {
  learned: ["learn", "supersede", "accept"],
  changed: ["edit", "merge", "pin", "restore"],
  forgotten: ["forget", "archive"],
  undone: ["undo"],
} as const satisfies Record<string, readonly EventAction[]>;
export type EventGroup = keyof typeof EVENT_GROUPS;

export function isEventGroup(name: string | null): name is EventGroup {
  return name !== null && Object.hasOwn(EVENT_GROUPS, name);
}

/** Local date as YYYY-MM-DD. */
export function toDateString(when: Date): string {
  const padded = (value: number) => String(value).padStart(2, "0");
  return `${when.getFullYear()}-${padded(when.getMonth() + 1)}-${padded(when.getDate())}`;
}

/** Parse a date from the URL; null if it is invalid, such as 2026-02-30. */
export function parseDate(text: string | undefined): string | null {
  if (!text || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const when = new Date(`${text}T00:00:00`);
  return Number.isNaN(when.getTime()) || toDateString(when) !== text ? null : text;
}

/** Last millisecond of a local day. */
export function endOfDay(date: string): Date {
  return new Date(`${date}T23:59:59.999`);
}

/** Group events, newest first, by day. */
export function groupByDay(events: readonly TimelineEntry[]): DayEvents[] {
  const days: DayEvents[] = [];
  for (const event of events) {
    const date = toDateString(new Date(event.at));
    const last = days.at(-1);
    if (last?.date === date) last.events.push(event);
    else days.push({ date, events: [event] });
  }
  return days;
}

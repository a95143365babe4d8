/** Days as the user lives them: in their own time zone. */

import type { Action, ToldEvent } from "../../api/types";

export interface Day {
  /** 2026-03-02 */
  date: string;
  events: ToldEvent[];
}

export const GROUPS = {
  learned: ["learn", "supersede", "accept"],
  changed: ["edit", "merge", "pin", "restore"],
  forgotten: ["forget", "archive"],
  undone: ["undo"],
} as const satisfies Record<string, readonly Action[]>;
export type Group = keyof typeof GROUPS;

export function isGroup(name: string | null): name is Group {
  return name !== null && Object.hasOwn(GROUPS, name);
}

/** The date of a moment here, as an address has it. */
export function dateOf(when: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${when.getFullYear()}-${two(when.getMonth() + 1)}-${two(when.getDate())}`;
}

/** A date of an address, or null if it is none: 2026-02-30 does not exist. */
export function readDate(text: string | undefined): string | null {
  if (!text || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const when = new Date(`${text}T00:00:00`);
  return Number.isNaN(when.getTime()) || dateOf(when) !== text ? null : text;
}

/** The last moment of a day. */
export function endOf(date: string): Date {
  return new Date(`${date}T23:59:59.999`);
}

/** Events, the newest first, under their days. */
export function byDay(events: readonly ToldEvent[]): Day[] {
  const days: Day[] = [];
  for (const event of events) {
    const date = dateOf(new Date(event.at));
    const last = days.at(-1);
    if (last?.date === date) last.events.push(event);
    else days.push({ date, events: [event] });
  }
  return days;
}

/** Weekly recall counts for the usage chart. */

import type { MemoryAccount } from "../../api/types";

export interface Weeks {
  /** Mondays at local midnight, in Unix seconds. */
  starts: number[];
  shown: number[];
}

/** Minimum number of weeks in the chart. */
const MIN_WEEKS = 12;

export function countByWeek(uses: MemoryAccount["uses"], now: Date = new Date()): Weeks {
  const weeks: Weeks = { starts: [], shown: [] };
  const times = uses.map((use) => new Date(use.at));
  const shown = new Date(now);
  shown.setDate(shown.getDate() - 7 * (MIN_WEEKS - 1));
  const oldest = times.reduce((least, time) => (time < least ? time : least), shown);
  for (let start = startOfWeek(oldest); start <= now; start = nextWeek(start)) {
    const end = nextWeek(start);
    const inWeek = uses.filter((_, at) => (times[at] ?? now) >= start && (times[at] ?? now) < end);
    weeks.starts.push(start.getTime() / 1000);
    weeks.shown.push(inWeek.filter((use) => use.disposition !== "left_out").length);
  }
  return weeks;
}

function startOfWeek(time: Date): Date {
  const start = new Date(time);
  start.setHours(0, 0, 0, 0);
  start.setDate(start.getDate() - ((start.getDay() + 6) % 7));
  return start;
}

/** Calendar arithmetic: with daylight saving time a week is not always 168 hours. */
function nextWeek(start: Date): Date {
  const next = new Date(start);
  next.setDate(next.getDate() + 7);
  return next;
}

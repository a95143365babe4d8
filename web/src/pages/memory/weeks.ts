/** Recalls by week: what the chart of a memory's use shows. */

import type { Account } from "../../api/types";

export interface Weeks {
  /** Mondays at midnight here, in seconds. */
  starts: number[];
  shown: number[];
}

/** Weeks that are shown at least. */
const LEAST = 12;

export function byWeek(uses: Account["uses"], now: Date = new Date()): Weeks {
  const weeks: Weeks = { starts: [], shown: [] };
  const times = uses.map((use) => new Date(use.at));
  const shown = new Date(now);
  shown.setDate(shown.getDate() - 7 * (LEAST - 1));
  const oldest = times.reduce((least, time) => (time < least ? time : least), shown);
  for (let start = monday(oldest); start <= now; start = later(start)) {
    const end = later(start);
    const within = uses.filter((_, at) => (times[at] ?? now) >= start && (times[at] ?? now) < end);
    weeks.starts.push(start.getTime() / 1000);
    weeks.shown.push(within.filter((use) => use.fate !== "left_out").length);
  }
  return weeks;
}

function monday(time: Date): Date {
  const start = new Date(time);
  start.setHours(0, 0, 0, 0);
  start.setDate(start.getDate() - ((start.getDay() + 6) % 7));
  return start;
}

/** The calendar's week, which is an hour longer or shorter twice a year. */
function later(start: Date): Date {
  const next = new Date(start);
  next.setDate(next.getDate() + 7);
  return next;
}

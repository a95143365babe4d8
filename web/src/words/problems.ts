/** Problems in words: the server's own, and ours where it could not say anything. */

import type { Problem } from "../api/problem";
import { say } from "./common";
import { told } from "./server";

export interface Told {
  what: string;
  why: string;
  next: string;
}

export function tell(problem: Problem): Told {
  if (problem.isOffline) return { what: say("offlineWhat"), why: say("offlineWhy"), next: say("offlineNext") };
  if (problem.isConflict) return { what: say("conflict"), why: "", next: "" };
  return { what: told(problem.what), why: told(problem.why), next: told(problem.next) || (problem.status >= 500 ? say("mistakeNext") : "") };
}

export function problemText(problem: Problem): string {
  const { what, why, next } = tell(problem);
  return [what, why, next].filter(Boolean).join(" ");
}

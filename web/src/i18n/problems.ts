/** User-facing texts of problems. */

import type { Problem } from "../api/problem";
import { t } from "./common";
import { translateProblem } from "./problem-messages";

export interface ProblemText {
  what: string;
  why: string;
  next: string;
}

export function describeProblem(problem: Problem): ProblemText {
  if (problem.isOffline) return { what: t("offlineWhat"), why: t("offlineWhy"), next: t("offlineNext") };
  if (problem.isConflict) return { what: t("conflict"), why: "", next: "" };
  return {
    what: translateProblem(problem.what),
    why: translateProblem(problem.why),
    next: translateProblem(problem.next) || (problem.status >= 500 ? t("unexpectedNext") : ""),
  };
}

export function problemText(problem: Problem): string {
  const { what, why, next } = describeProblem(problem);
  return [what, why, next].filter(Boolean).join(" ");
}

/** Stages of the ingest funnel. */

import type { ReasonCode, ReasonCount } from "../../api/types";

export type Stage = "sifted" | "judged" | "masked";
const STAGES: readonly Stage[] = ["sifted", "judged", "masked"];
/** Reasons of messages from which facts were extracted. */
const EXTRACTED_CODES: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  "keep_phrase",
  "not_trivial",
  "triage_off",
  "extraction_capped",
]);

export interface StageCounts {
  stage: Stage;
  count: number;
  reasons: readonly ReasonCount[];
}

export function stageOf(code: ReasonCode): Stage {
  if (code === "secret_redacted") return "masked";
  return EXTRACTED_CODES.has(code) ? "judged" : "sifted";
}

/** The stages that have messages, with the counts of their reasons. */
export function groupByStage(verdicts: readonly ReasonCount[]): StageCounts[] {
  // Summaries are counted too, but are no messages.
  const messages = verdicts.filter((each) => each.code !== "summary_capped");
  return STAGES.map((stage) => {
    const reasons = messages.filter((each) => stageOf(each.code) === stage);
    return { stage, count: reasons.reduce((sum, each) => sum + each.count, 0), reasons };
  }).filter((each) => each.count > 0);
}

import type { Reason } from "../../api/types";

/** Whether a source was skipped because of consent or the memory mode. */
export function isConsentReason(reason: Reason): boolean {
  return reason.code === "no_consent" || reason.code === "recall_off";
}

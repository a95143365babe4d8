import type { Receipt } from "../../api/types";

/** What a block has besides recalled passages: the receipt counts it among the sources, under these names. */
const TIERS = ["profile", "working", "contexts"] as const;
export type TierName = (typeof TIERS)[number];

/** Return the tiers that were sent to the model. */
export function sentTiers(receipt: Pick<Receipt, "sources" | "tokens">): TierName[] {
  return receipt.tokens > 0 ? TIERS.filter((name) => (receipt.sources[name] ?? 0) > 0) : [];
}

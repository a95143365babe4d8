/** Aliases for the generated schema types. */

import type { components } from "./schema";

type Schemas = components["schemas"];
export type Memory = Schemas["MemoryResponse"];
export type Kind = Memory["kind"];
export type MemoryStatus = Memory["status"];
export type Version = Schemas["MemoryVersionResponse"];
export type Item = Schemas["ReceiptItemResponse"];
export type Receipt = Schemas["ReceiptResponse"];
export type Chat = Schemas["ChatResponse"];
export type Message = Schemas["ChatMessageResponse"];
export type IngestResult = Schemas["IngestResultResponse"];
export type Mode = NonNullable<Chat["mode"]>;
export type Event = Schemas["EventResponse"];
export type TimelineEntry = Schemas["TimelineEventResponse"];
export type EventAction = TimelineEntry["action"];
export type PendingMemory = Schemas["ReviewItemResponse"];
export type DuplicatePair = Schemas["DuplicatePairResponse"];
export type Setting = Schemas["SettingResponse"];
export type Job = Schemas["JobResponse"];
export type Stats = Schemas["StatsResponse"];
export type MetricsReport = Schemas["MetricsResponse"];
export type SearchHit = Schemas["ScoredMemoryResponse"];
export type FacetCount = Schemas["FacetCountResponse"];
export type Origin = FacetCount["origin"];
export type ImportanceBand = FacetCount["importance"];
export type MemoryAccount = Schemas["MemoryDetailsResponse"];
export type Reason = Schemas["ReasonResponse"];
export type ReasonCode = Reason["code"];
export type ReasonCount = Schemas["ReasonCountResponse"];
export type { Schemas };

export const KINDS = [
  "biography",
  "preference",
  "emotion",
  "goal",
  "event",
  "decision",
  "note",
] as const satisfies readonly Kind[];
export const MEMORY_STATUSES = [
  "active",
  "quarantined",
  "contested",
  "superseded",
  "archived",
  "forgotten",
] as const satisfies readonly MemoryStatus[];
export const ORIGINS = ["manual", "rules", "model", "import"] as const satisfies readonly Origin[];
export const IMPORTANCE_BANDS = [
  "critical",
  "context",
  "temporary",
  "trivial",
] as const satisfies readonly ImportanceBand[];

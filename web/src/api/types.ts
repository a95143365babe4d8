/** Aliases for the generated schema types. */

import type { components } from "./schema";

type Schemas = components["schemas"];
export type Memory = Schemas["Memory"];
export type Kind = Memory["kind"];
export type MemoryStatus = Memory["standing"];
export type Version = Schemas["Version"];
export type Item = Schemas["Item"];
export type Receipt = Schemas["Receipt"];
export type Chat = Schemas["Chat"];
export type Message = Schemas["ChatMessage"];
export type IngestResult = Schemas["Observed"];
export type Mode = NonNullable<Chat["mode"]>;
export type Event = Schemas["Event"];
export type TimelineEntry = Schemas["ToldEvent"];
export type EventAction = TimelineEntry["action"];
export type PendingMemory = Schemas["WaitingMemory"];
export type DuplicatePair = Schemas["Pair"];
export type Setting = Schemas["Setting"];
export type Job = Schemas["Job"];
export type Stats = Schemas["Stats"];
export type MetricsReport = Schemas["MetricsReport"];
export type SearchHit = Schemas["FoundMemory"];
export type FacetCount = Schemas["SortCount"];
export type Origin = FacetCount["origin"];
export type ImportanceBand = FacetCount["importance"];
export type MemoryAccount = Schemas["Account"];
export type { Schemas };

export const KINDS = ["bio", "pref", "emo", "obj", "evt", "dec", "note"] as const satisfies readonly Kind[];
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

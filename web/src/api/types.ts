/** The server's shapes under short names. */

import type { components } from "./schema";

type Schemas = components["schemas"];
export type Memory = Schemas["Memory"];
export type Kind = Memory["kind"];
export type Standing = Memory["standing"];
export type Version = Schemas["Version"];
export type Item = Schemas["Item"];
export type Receipt = Schemas["Receipt"];
export type Chat = Schemas["Chat"];
export type Message = Schemas["ChatMessage"];
export type Observed = Schemas["Observed"];
export type Mode = NonNullable<Chat["mode"]>;
export type Event = Schemas["Event"];
export type ToldEvent = Schemas["ToldEvent"];
export type Action = ToldEvent["action"];
export type WaitingMemory = Schemas["WaitingMemory"];
export type Pair = Schemas["Pair"];
export type Setting = Schemas["Setting"];
export type Job = Schemas["Job"];
export type Stats = Schemas["Stats"];
export type MetricsReport = Schemas["MetricsReport"];
export type FoundMemory = Schemas["FoundMemory"];
export type Sort = Schemas["SortCount"];
export type Origin = Sort["origin"];
export type Band = Sort["importance"];
export type Account = Schemas["Account"];
export type { Schemas };

export const KINDS = ["bio", "pref", "emo", "obj", "evt", "dec", "note"] as const satisfies readonly Kind[];
export const STANDINGS = [
  "active",
  "quarantined",
  "contested",
  "superseded",
  "archived",
  "forgotten",
] as const satisfies readonly Standing[];
export const ORIGINS = ["manual", "rules", "model", "import"] as const satisfies readonly Origin[];
export const BANDS = ["critical", "context", "temporary", "trivial"] as const satisfies readonly Band[];

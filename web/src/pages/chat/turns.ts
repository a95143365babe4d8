/** What is said in a chat, as it is shown: pure, so that it can be tested. */

import type { Problem } from "../../api/problem";
import type { Memory, Message, Receipt } from "../../api/types";

/** The beginning of a chat's name that leaves no trace; the server knows the same. */
export const TEMPORARY = "temporary-";
/** Turns of a conversation that are sent along where the server does not keep them. */
const PAST = 40;
/** What an answer without a model begins with, in the server's two languages. */
const QUOTED = /^\((?:no language model|sem modelo de linguagem)[^)]*\)\n?/;

export interface Short {
  memories: number;
  tokens: number;
  budget: number;
  ms: number;
}
export interface Lesson {
  memory: Memory;
  /** Known before, and heard again. */
  again: boolean;
  /** What became of it since. */
  state: "kept" | "undone" | "edited";
}
export interface Turn {
  /** Ours, and the client's name of a question: sent twice it is asked once. */
  key: string;
  /** The server's; null where nothing is kept. */
  id: string | null;
  role: Message["role"];
  content: string;
  at: string;
  kept: boolean;
  state: "done" | "waiting" | "streaming";
  /** The recall behind a question, or behind the answer that is given now. */
  receipt: string | null;
  recalled: Short | null;
  /** The whole of it, for a turn of this visit: one that is not kept has no other. */
  whole?: Receipt | undefined;
  /** Quoted from memory: there is no model. */
  quoted?: boolean;
  stopped?: boolean;
  problem?: Problem | undefined;
  learned?: Lesson[] | undefined;
  learning?: boolean;
}

export function said(message: Message): Turn {
  return {
    key: message.id,
    id: message.id,
    role: message.role,
    content: message.content,
    at: message.created_at,
    kept: true,
    state: "done",
    receipt: message.receipt,
    recalled: message.recalled ?? null,
  };
}

export function fresh(role: Turn["role"], content: string, key: string): Turn {
  const state = role === "user" ? "done" : "waiting";
  return { key, id: null, role, content, at: new Date().toISOString(), kept: false, state, receipt: null, recalled: null };
}

export function short(receipt: Receipt): Short {
  const memories = receipt.items.filter((item) => item.fate === "injected").length;
  return { memories, tokens: receipt.tokens, budget: receipt.budget, ms: receipt.timings["total_ms"] ?? 0 };
}

/** The conversation so far, for a server that does not keep it. */
export function past(turns: readonly Turn[]): { role: "user" | "assistant"; content: string }[] {
  const spoken: { role: "user" | "assistant"; content: string }[] = [];
  for (const { role, content, quoted } of turns) {
    if ((role === "user" || role === "assistant") && content && !quoted) spoken.push({ role, content });
  }
  return spoken.slice(-PAST);
}

/** A quote without its label, which is shown beside it. */
export function unlabelled(text: string): string {
  return text.replace(QUOTED, "");
}

/** The answer of a question, or null if it was given none. */
export function answerOf(turns: readonly Turn[], at: number): Turn | null {
  const next = turns[at + 1];
  return turns[at]?.role === "user" && next?.role === "assistant" ? next : null;
}

/** The question before an answer: its recall is the answer's. */
export function questionOf(turns: readonly Turn[], at: number): Turn | null {
  for (let place = at - 1; place >= 0; place--) {
    if (turns[place]?.role === "user") return turns[place] ?? null;
  }
  return null;
}

/** The receipt of a question, or of the answer to it. */
export function receiptOf(turns: readonly Turn[], at: number): { id: string; whole: Receipt | undefined } | undefined {
  const turn = turns[at];
  const from = turn?.receipt ? turn : turn?.role === "assistant" ? questionOf(turns, at) : null;
  const whole = turn?.whole ?? answerOf(turns, at)?.whole;
  return from?.receipt ? { id: from.receipt, whole } : undefined;
}

/** What was recalled for a question, or for the answer to it. */
export function recallOf(turns: readonly Turn[], at: number): Short | null {
  const turn = turns[at];
  return turn?.recalled ?? (turn?.role === "assistant" ? (questionOf(turns, at)?.recalled ?? null) : null);
}

export function lastQuestion(turns: readonly Turn[]): number {
  return turns.findLastIndex((turn) => turn.role === "user");
}

/** Whole sentences of a text beyond what was spoken already, for who listens: never half a word. */
export function sentences(text: string, spoken: number): string {
  const rest = text.slice(spoken);
  const end = Math.max(...[". ", "! ", "? ", "\n"].map((stop) => rest.lastIndexOf(stop)));
  return end < 0 ? "" : rest.slice(0, end + 1);
}

/** A new name; `crypto.randomUUID` is not everywhere. */
export function newName(prefix = ""): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return prefix + Array.from(bytes, (byte) => byte.toString(36).padStart(2, "0")).join("");
}

/** View model of chat turns; pure functions. */

import type { Problem } from "../../api/problem";
import { countSources } from "../../api/source-counts";
import type { Memory, Message, Receipt } from "../../api/types";

/** Id prefix of temporary chats, which the server does not store. */
export const TEMPORARY = "temporary-";
/** Turns sent with each request when the server does not store the chat. */
const MAX_HISTORY_TURNS = 40;
/** Label with which the server starts an answer when no model is configured. */
const QUOTE_LABEL = /^\((?:no language model|sem modelo de linguagem)[^)]*\)\n?/;

export interface RecallSummary {
  memories: number;
  messages: number;
  tokens: number;
  budget: number;
  ms: number;
}
export interface LearnedMemory {
  memory: Memory;
  /** Whether an existing memory was reinforced. */
  isReinforced: boolean;
  /** What the user did with it since. */
  state: "learned" | "undone" | "edited";
}
export interface Turn {
  /** Client-side id; for questions also the idempotency key. */
  key: string;
  /** Server-side id; null if the message is not stored. */
  id: string | null;
  role: Message["role"];
  content: string;
  at: string;
  isStored: boolean;
  state: "done" | "waiting" | "streaming";
  /** Receipt id of the recall for this question or answer. */
  receipt: string | null;
  recalled: RecallSummary | null;
  /** Full receipt of a turn from this visit; unstored turns have no other copy. */
  fullReceipt?: Receipt | undefined;
  /** The answer quotes memories, because no model is configured. */
  isQuote?: boolean;
  stopped?: boolean;
  problem?: Problem | undefined;
  learned?: LearnedMemory[] | undefined;
  learning?: boolean;
}

export function turnFromMessage(message: Message): Turn {
  return {
    key: message.id,
    id: message.id,
    role: message.role,
    content: message.content,
    at: message.created_at,
    isStored: true,
    state: "done",
    receipt: message.receipt,
    recalled: message.recalled ?? null,
  };
}

export function newTurn(role: Turn["role"], content: string, key: string): Turn {
  const state = role === "user" ? "done" : "waiting";
  return {
    key,
    id: null,
    role,
    content,
    at: new Date().toISOString(),
    isStored: false,
    state,
    receipt: null,
    recalled: null,
  };
}

export function summarizeReceipt(receipt: Receipt): RecallSummary {
  const { memories, messages } = countSources(
    receipt.items.filter((item) => item.disposition === "injected"),
  );
  return {
    memories,
    messages,
    tokens: receipt.tokens,
    budget: receipt.budget,
    ms: receipt.timings["total_ms"] ?? 0,
  };
}

/** Previous turns, for a chat that the server does not store. */
export function toHistory(turns: readonly Turn[]): { role: "user" | "assistant"; content: string }[] {
  const history: { role: "user" | "assistant"; content: string }[] = [];
  for (const { role, content, isQuote } of turns) {
    if ((role === "user" || role === "assistant") && content && !isQuote) history.push({ role, content });
  }
  return history.slice(-MAX_HISTORY_TURNS);
}

/** Remove the label of a quote; the UI shows it separately. */
export function stripQuoteLabel(text: string): string {
  return text.replace(QUOTE_LABEL, "");
}

/** The answer to a question, or null. */
export function findAnswer(turns: readonly Turn[], at: number): Turn | null {
  const next = turns[at + 1];
  return turns[at]?.role === "user" && next?.role === "assistant" ? next : null;
}

/** The question before an answer; both share one recall. */
export function findQuestion(turns: readonly Turn[], at: number): Turn | null {
  for (let place = at - 1; place >= 0; place--) {
    if (turns[place]?.role === "user") return turns[place] ?? null;
  }
  return null;
}

/** The receipt of a question or of its answer. */
export function findReceipt(
  turns: readonly Turn[],
  at: number,
): { id: string; fullReceipt: Receipt | undefined } | undefined {
  const turn = turns[at];
  const from = turn?.receipt ? turn : turn?.role === "assistant" ? findQuestion(turns, at) : null;
  const fullReceipt = turn?.fullReceipt ?? findAnswer(turns, at)?.fullReceipt;
  return from?.receipt ? { id: from.receipt, fullReceipt } : undefined;
}

/** Recall statistics of a question or of its answer. */
export function findRecall(turns: readonly Turn[], at: number): RecallSummary | null {
  const turn = turns[at];
  return turn?.recalled ?? (turn?.role === "assistant" ? (findQuestion(turns, at)?.recalled ?? null) : null);
}

export function lastQuestionIndex(turns: readonly Turn[]): number {
  return turns.findLastIndex((turn) => turn.role === "user");
}

/** Complete sentences after an offset, for screen reader announcements. */
export function completeSentences(text: string, history: number): string {
  const rest = text.slice(history);
  const end = Math.max(...[". ", "! ", "? ", "\n"].map((stop) => rest.lastIndexOf(stop)));
  return end < 0 ? "" : rest.slice(0, end + 1);
}

/** Random id; `crypto.randomUUID` needs a secure context. */
export function newId(prefix = ""): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return prefix + Array.from(bytes, (byte) => byte.toString(36).padStart(2, "0")).join("");
}

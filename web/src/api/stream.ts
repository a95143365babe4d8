/** Server-sent events over a POST, which EventSource cannot do. */

import { request } from "./client";
import { isBody, Problem, type ProblemBody } from "./problem";
import type { Memory, Mode, Observed, Receipt } from "./types";

export interface RawEvent {
  event: string;
  data: string;
}

/** Events as they come, however the bytes were cut. Comments are passed over. */
export async function* events(body: ReadableStream<Uint8Array>): AsyncGenerator<RawEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += decoder.decode(value, { stream: !done });
      const blocks = rest.split(/\r\n\r\n|\n\n|\r\r/);
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = parsed(block);
        if (event) yield event;
      }
      if (done) return;
    }
  } finally {
    // Whoever stops listening ends the answer.
    await reader.cancel().catch(() => undefined);
  }
}

export function parsed(block: string): RawEvent | null {
  let event = "message";
  const data: string[] = [];
  for (const line of block.split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(":");
    if (colon === 0) continue;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") event = value;
    if (field === "data") data.push(value);
  }
  return data.length ? { event, data: data.join("\n") } : null;
}

export type ChatEvent =
  | { event: "recalled"; asked: Observed; receipt: Receipt; model: string | null }
  | { event: "delta"; text: string }
  | { event: "done"; answer: Observed | null; text: string; stopped: boolean }
  | { event: "learned"; results: Memory[]; pending: boolean }
  | { event: "error"; problem: Problem };

export interface Question {
  content: string;
  id?: string;
  system?: string;
  past?: { role: "user" | "assistant"; content: string }[];
  mode?: Mode;
  settings?: Record<string, boolean | number | string | string[]>;
}

/** Say something in a chat: the answer, event by event. Aborting stops it. */
export function converse(chat: string, question: Question, signal?: AbortSignal): AsyncGenerator<ChatEvent> {
  return chatEvents("/chats/{chat_id}/messages", chat, question, signal);
}

/** Answer the last question anew. */
export function regenerate(
  chat: string,
  how: Omit<Question, "content" | "id" | "past">,
  signal?: AbortSignal,
): AsyncGenerator<ChatEvent> {
  return chatEvents("/chats/{chat_id}/messages/regenerate", chat, how, signal);
}

async function* chatEvents(path: string, chat: string, body: object, signal?: AbortSignal): AsyncGenerator<ChatEvent> {
  const sent = { path: { chat_id: chat }, body: { ...body, stream: true }, signal };
  const response = await request("post", path, sent, "text/event-stream");
  if (!response.body) return;
  for await (const { event, data } of events(response.body)) yield chatEvent(event, data);
}

export function chatEvent(event: string, data: string): ChatEvent {
  const value: unknown = JSON.parse(data);
  if (event === "error") {
    const body: ProblemBody = isBody(value)
      ? value
      : { title: "", status: 500, code: "unreadable_answer", detail: data };
    return { event, problem: new Problem(body) };
  }
  return { event, ...(value as object) } as ChatEvent;
}

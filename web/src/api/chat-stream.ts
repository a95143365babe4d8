/** Server-sent events over a POST, which EventSource cannot do. */

import { request } from "./client";
import { isProblemBody, Problem, type ProblemBody } from "./problem";
import type { Memory, Mode, IngestResult, Receipt } from "./types";

export interface RawEvent {
  event: string;
  data: string;
}

/** Yield events as they arrive, regardless of chunk boundaries. Comments are skipped. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<RawEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let buffer = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      buffer += decoder.decode(value, { stream: !done });
      const blocks = buffer.split(/\r\n\r\n|\n\n|\r\r/);
      buffer = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = parseEvent(block);
        if (event) yield event;
      }
      if (done) return;
    }
  } finally {
    // A consumer that stops iterating cancels the request.
    await reader.cancel().catch(() => undefined);
  }
}

export function parseEvent(block: string): RawEvent | null {
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
  | { event: "recalled"; asked: IngestResult; receipt: Receipt; model: string | null }
  | { event: "delta"; text: string }
  | { event: "done"; answer: IngestResult | null; text: string; stopped: boolean }
  | { event: "learned"; results: Memory[]; pending: boolean }
  | { event: "error"; problem: Problem };

export interface ChatRequest {
  content: string;
  id?: string;
  system?: string;
  past?: { role: "user" | "assistant"; content: string }[];
  mode?: Mode;
  settings?: Record<string, boolean | number | string | string[]>;
}

/** Send a message and yield the answer's events. Aborting the signal stops the answer. */
export function sendMessage(
  chat: string,
  question: ChatRequest,
  signal?: AbortSignal,
): AsyncGenerator<ChatEvent> {
  return streamChat("/chats/{chat_id}/messages", chat, question, signal);
}

/** Regenerate the answer to the last question. */
export function regenerate(
  chat: string,
  options: Omit<ChatRequest, "content" | "id" | "past">,
  signal?: AbortSignal,
): AsyncGenerator<ChatEvent> {
  return streamChat("/chats/{chat_id}/messages/regenerate", chat, options, signal);
}

async function* streamChat(
  path: string,
  chat: string,
  body: object,
  signal?: AbortSignal,
): AsyncGenerator<ChatEvent> {
  const args = { path: { chat_id: chat }, body: { ...body, stream: true }, signal };
  const response = await request("post", path, args, "text/event-stream");
  if (!response.body) return;
  for await (const { event, data } of readEvents(response.body)) yield parseChatEvent(event, data);
}

export function parseChatEvent(event: string, data: string): ChatEvent {
  const value: unknown = JSON.parse(data);
  if (event === "error") {
    const body: ProblemBody = isProblemBody(value)
      ? value
      : { title: "", status: 500, code: "unreadable_answer", detail: data };
    return { event, problem: new Problem(body) };
  }
  return { event, ...(value as object) } as ChatEvent;
}

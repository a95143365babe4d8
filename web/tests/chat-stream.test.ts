import { expect, test } from "vitest";

import { parseChatEvent, readEvents, parseEvent } from "$/api/chat-stream";

const WHOLE =
  ': keep-alive\n\nevent: recalled\ndata: {"model":null}\n\nevent: delta\ndata: {"text":"São "}\n\nevent: delta\r\ndata: {"text":"👍"}\r\n\r\nevent: done\ndata: {"text":"São 👍","stopped":false}\n\n';

function stream(pieces: Uint8Array[], onCancel?: () => void): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      const piece = pieces[at++];
      if (piece) controller.enqueue(piece);
      else controller.close();
    },
    cancel: () => onCancel?.(),
  });
}

async function all(body: ReadableStream<Uint8Array>): Promise<string[]> {
  const found: string[] = [];
  for await (const { event, data } of readEvents(body)) found.push(`${event} ${data}`);
  return found;
}

test.each([1, 2, 3, 7, 1000])("events are complete when the bytes are split every %d", async (size) => {
  const bytes = new TextEncoder().encode(WHOLE);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.slice(at * size, (at + 1) * size),
  );

  expect(await all(stream(pieces))).toEqual([
    'recalled {"model":null}',
    'delta {"text":"São "}',
    'delta {"text":"👍"}',
    'done {"text":"São 👍","stopped":false}',
  ]);
});

test("blocks without data are skipped, and data lines are joined", () => {
  expect(parseEvent("event: ping")).toBeNull();
  expect(parseEvent("data: a\ndata:b\nid: 3")).toEqual({ event: "message", data: "a\nb" });
});

test("leaving the loop cancels the request", async () => {
  let cancelled = false;
  const bytes = new TextEncoder().encode(WHOLE);
  for await (const _ of readEvents(stream([bytes, bytes], () => (cancelled = true)))) break;

  expect(cancelled).toBe(true);
});

test("an error event carries a problem", () => {
  const event = parseChatEvent(
    "error",
    '{"code":"provider_error","status":502,"title":"x","detail":"It broke. Try again."}',
  );

  expect(event.event).toBe("error");
  expect(event.event === "error" && [event.problem.code, event.problem.what, event.problem.next]).toEqual([
    "provider_error",
    "It broke.",
    "Try again.",
  ]);
});

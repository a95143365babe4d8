import { expect, test } from "vitest";

import { chatEvent, events, parsed } from "$/api/stream";

const WHOLE = ': still here\n\nevent: recalled\ndata: {"model":null}\n\nevent: delta\ndata: {"text":"São "}\n\nevent: delta\r\ndata: {"text":"👍"}\r\n\r\nevent: done\ndata: {"text":"São 👍","stopped":false}\n\n';

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
  for await (const { event, data } of events(body)) found.push(`${event} ${data}`);
  return found;
}

test.each([1, 2, 3, 7, 1000])("events are whole, however the bytes are cut: by %d", async (size) => {
  const bytes = new TextEncoder().encode(WHOLE);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.slice(at * size, (at + 1) * size));

  expect(await all(stream(pieces))).toEqual([
    'recalled {"model":null}',
    'delta {"text":"São "}',
    'delta {"text":"👍"}',
    'done {"text":"São 👍","stopped":false}',
  ]);
});

test("what has no data is no event, and lines of data are joined", () => {
  expect(parsed("event: ping")).toBeNull();
  expect(parsed("data: a\ndata:b\nid: 3")).toEqual({ event: "message", data: "a\nb" });
});

test("whoever stops listening ends the answer", async () => {
  let cancelled = false;
  const bytes = new TextEncoder().encode(WHOLE);
  for await (const _ of events(stream([bytes, bytes], () => (cancelled = true)))) break;

  expect(cancelled).toBe(true);
});

test("an error is a problem", () => {
  const event = chatEvent("error", '{"code":"provider_error","status":502,"title":"x","detail":"It broke. Try again."}');

  expect(event.event).toBe("error");
  expect(event.event === "error" && [event.problem.code, event.problem.what, event.problem.next]).toEqual([
    "provider_error",
    "It broke.",
    "Try again.",
  ]);
});

/** One import, of an uploaded file or of an agent's transcripts: preview, progress, stop, undo. */

import { api, buildHeaders, buildUrl } from "../../api/client";
import { readEvents } from "../../api/chat-stream";
import { connection } from "../../api/connection.svelte";
import { isAbort, isProblemBody, offlineProblem, Problem, toProblem } from "../../api/problem";
import type { Schemas } from "../../api/types";

export type ImportReport = Schemas["ImportResponse"];
export type ImportUndo = Schemas["ImportUndoResponse"];
export interface ImportProgress {
  file: string;
  items: number;
  expected_items: number | null;
  remaining_seconds: number | null;
}
export type ImportEvent =
  { event: "progress"; progress: ImportProgress } | { event: "done"; report: ImportReport };
/** `stopped`: what was imported until then stays; importing again continues. */
export type ImportState = "reading" | "ready" | "importing" | "stopped" | "done" | "undone" | "failed";

/** What is imported: an uploaded file, or the transcripts of a coding agent on the server's machine. */
export type ImportOrigin = { file: File } | { agent: string; title: string; bytes: number };

export class FileImport {
  readonly origin: ImportOrigin;
  state = $state<ImportState>("reading");
  withBranches = $state(false);
  report = $state.raw<ImportReport>();
  progress = $state.raw<ImportProgress>();
  problem = $state.raw<Problem>();
  undone = $state.raw<ImportUndo>();
  #controller: AbortController | undefined;

  constructor(origin: ImportOrigin) {
    this.origin = origin;
  }

  get name(): string {
    return "file" in this.origin ? this.origin.file.name : this.origin.title;
  }

  get bytes(): number {
    return "file" in this.origin ? this.origin.file.size : this.origin.bytes;
  }

  get isBusy(): boolean {
    return this.state === "reading" || this.state === "importing";
  }

  get canImport(): boolean {
    return this.state === "stopped" || (this.state === "ready" && countNew(this.report) > 0);
  }

  preview = async (): Promise<void> => {
    await this.#upload("reading", "ready", "failed");
  };

  run = async (): Promise<void> => {
    await this.#upload("importing", "done", "stopped");
  };

  /** Stop reading or importing. */
  stop = (): void => {
    this.#controller?.abort();
  };

  undo = async (): Promise<void> => {
    const id = this.report?.import_id;
    if (!id) return;
    this.undone = await api.post("/api/import/{import_id}/undo", { path: { import_id: id } });
    this.state = "undone";
  };

  async #upload(busy: ImportState, finished: ImportState, interrupted: ImportState): Promise<void> {
    this.stop();
    const controller = (this.#controller = new AbortController());
    this.state = busy;
    this.problem = this.progress = undefined;
    try {
      const options = { dryRun: busy === "reading", branches: this.withBranches, signal: controller.signal };
      for await (const event of startImport(this.origin, options)) {
        if (event.event === "progress") this.progress = event.progress;
        else this.report = event.report;
      }
      this.state = finished;
    } catch (error) {
      if (this.#controller !== controller) return; // another upload of the same file has begun
      this.state = interrupted;
      if (!isAbort(error)) this.problem = toProblem(error);
    }
  }
}

interface ImportOptions {
  dryRun: boolean;
  branches: boolean;
  signal: AbortSignal;
}

async function* startImport(origin: ImportOrigin, options: ImportOptions): AsyncGenerator<ImportEvent> {
  const query = { dry_run: options.dryRun, branches: options.branches, stream: true };
  const address =
    "file" in origin
      ? buildUrl("/api/import", { query: { ...query, name: origin.file.name } })
      : buildUrl("/api/import/transcripts/{agent}", { path: { agent: origin.agent }, query });
  const response = await connection.fetch(address, {
    method: "POST",
    headers: {
      ...buildHeaders("post", {}),
      Accept: "text/event-stream",
      "Content-Type": "application/octet-stream",
    },
    ...("file" in origin ? { body: origin.file } : {}),
    signal: options.signal,
  });
  if (!response.body) return;
  let isDone = false;
  for await (const { event, data } of readEvents(response.body)) {
    const parsed = parseImportEvent(event, data);
    isDone ||= parsed.event === "done";
    yield parsed;
  }
  if (!isDone) throw offlineProblem();
}

/** Parse an event; throws the problem of an `error` event. */
export function parseImportEvent(event: string, data: string): ImportEvent {
  const value: unknown = JSON.parse(data);
  if (event === "done") return { event, report: value as ImportReport };
  if (event === "progress") return { event, progress: value as ImportProgress };
  throw new Problem(
    isProblemBody(value) ? value : { title: "", status: 500, code: "unreadable_answer", detail: data },
  );
}

export function countNew(report: ImportReport | undefined): number {
  return report ? report.messages + report.memories + report.context_files : 0;
}

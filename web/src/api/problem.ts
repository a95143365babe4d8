/** Errors between page and server, split into what happened, why, and what to do next. */

export const OFFLINE_CODE = "offline";
/** A sentence with its trailing space. A full stop inside a word does not end it. */
export const SENTENCE_PATTERN = /[^.!?]+(?:[.!?](?!\s|$)[^.!?]*)*[.!?]*(?:\s+|$)/g;
export const SIGNED_OUT_CODES = new Set(["no_session", "no_token"]);

export interface ProblemBody {
  type?: string;
  title: string;
  status: number;
  code: string;
  detail: string;
}

export class Problem extends Error {
  readonly code: string;
  readonly status: number;
  /** What happened. */
  readonly what: string;
  /** Why it happened; empty if the server sent fewer than three sentences. */
  readonly why: string;
  /** What to do next. */
  readonly next: string;
  readonly requestId: string | null;

  constructor(body: ProblemBody, requestId: string | null = null) {
    super(body.detail || body.title);
    this.name = "Problem";
    this.code = body.code;
    this.status = body.status;
    this.requestId = requestId;
    const [what, why, next] = splitDetail(body.detail || body.title);
    this.what = what;
    this.why = why;
    this.next = next;
  }

  get isOffline(): boolean {
    return this.code === OFFLINE_CODE;
  }

  get isUnauthorized(): boolean {
    return this.status === 401;
  }

  /** The resource was modified by another request. */
  get isConflict(): boolean {
    return this.status === 412;
  }
}

/** Split a detail text: the first sentence says what happened, the last what to do, the rest why. */
export function splitDetail(detail: string): [what: string, why: string, next: string] {
  const sentences = detail.match(SENTENCE_PATTERN)?.map((each) => each.trim()) ?? [detail];
  const [what = detail, ...rest] = sentences.filter(Boolean);
  const next = rest.pop() ?? "";
  return [what, rest.join(" "), next];
}

/** Convert an error response of any content type into a Problem. */
export async function problemFromResponse(response: Response): Promise<Problem> {
  const id = response.headers.get("X-Request-Id");
  const body: unknown = await response.json().catch(() => null);
  if (isProblemBody(body)) return new Problem({ ...body, status: response.status }, id);
  return new Problem(
    {
      title: response.statusText,
      status: response.status,
      code: "unreadable_answer",
      detail: response.statusText || String(response.status),
    },
    id,
  );
}

export function isProblemBody(body: unknown): body is ProblemBody {
  return typeof body === "object" && body !== null && "code" in body && "detail" in body;
}

export function offlineProblem(): Problem {
  return new Problem({ title: "", status: 0, code: OFFLINE_CODE, detail: "" });
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** Convert any thrown value into a Problem; unexpected errors are logged to the console. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  console.error(error);
  return new Problem({
    title: "",
    status: 0,
    code: "mistake",
    detail: error instanceof Error ? error.message : String(error),
  });
}

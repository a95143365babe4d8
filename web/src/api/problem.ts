/** Everything that can go wrong between the page and the server, as what happened, why, and what to do next. */

export const OFFLINE = "offline";
/** A sentence with the space behind it; a stop inside a word ends none. */
export const SENTENCE = /[^.!?]+(?:[.!?](?!\s|$)[^.!?]*)*[.!?]*(?:\s+|$)/g;
export const STRANGER = new Set(["no_session", "no_token"]);

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
  /** Why; empty if the server said it all at once. */
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
    const [what, why, next] = told(body.detail || body.title);
    this.what = what;
    this.why = why;
    this.next = next;
  }

  get isOffline(): boolean {
    return this.code === OFFLINE;
  }

  get isStranger(): boolean {
    return this.status === 401;
  }

  /** Somebody changed the same thing meanwhile. */
  get isConflict(): boolean {
    return this.status === 412;
  }
}

/** The server's sentences: the first says what, the last what next, those between why. */
export function told(detail: string): [what: string, why: string, next: string] {
  const sentences = detail.match(SENTENCE)?.map((each) => each.trim()) ?? [detail];
  const [what = detail, ...rest] = sentences.filter(Boolean);
  const next = rest.pop() ?? "";
  return [what, rest.join(" "), next];
}

/** What the server answered, whatever it was. */
export async function asProblem(response: Response): Promise<Problem> {
  const id = response.headers.get("X-Request-Id");
  const body: unknown = await response.json().catch(() => null);
  if (isBody(body)) return new Problem({ ...body, status: response.status }, id);
  return new Problem(
    { title: response.statusText, status: response.status, code: "unreadable_answer", detail: response.statusText || String(response.status) },
    id,
  );
}

export function isBody(body: unknown): body is ProblemBody {
  return typeof body === "object" && body !== null && "code" in body && "detail" in body;
}

export function offline(): Problem {
  return new Problem({ title: "", status: 0, code: OFFLINE, detail: "" });
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** Whatever was thrown, as a problem. A mistake of ours says so itself. */
export function asThrown(error: unknown): Problem {
  if (error instanceof Problem) return error;
  console.error(error);
  return new Problem({ title: "", status: 0, code: "mistake", detail: error instanceof Error ? error.message : String(error) });
}

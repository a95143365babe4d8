/** Typed HTTP client, generated from the server's OpenAPI schema. */

import { untrack } from "svelte";

import { connection } from "./connection.svelte";
import type { paths } from "./schema";

type Method = "get" | "put" | "post" | "patch" | "delete";
type Operation = { parameters: unknown; responses: unknown };
/** Paths that support a method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends { [K in M]: Operation } ? P : never;
}[keyof paths];
type OperationOf<P extends keyof paths, M extends Method> = paths[P] extends { [K in M]: infer O }
  ? O
  : never;

type JsonContent<R> = R extends { content: { "application/json": infer J } } ? J : never;
/** Body of a successful response. */
export type ResponseBody<P extends keyof paths, M extends Method> =
  OperationOf<P, M> extends { responses: infer R }
    ? { [S in keyof R]: S extends 200 | 201 ? JsonContent<R[S]> : never }[keyof R]
    : never;

type PathArgs<O> = O extends { parameters: { path: infer V } } ? { path: V } : { path?: never };
/** Undefined values are not sent. */
type PartialValues<V> = { [K in keyof V]: V[K] | undefined };
type QueryArgs<O> = O extends { parameters: { query: infer V } }
  ? { query: PartialValues<V> }
  : O extends { parameters: { query?: infer V } }
    ? { query?: PartialValues<V> }
    : { query?: never };
type BodyArgs<O> = O extends { requestBody: { content: { "application/json": infer B } } }
  ? { body: B }
  : O extends { requestBody?: { content: { "application/json": infer B } } }
    ? { body?: B }
    : { body?: never };
export interface RequestOptions {
  signal?: AbortSignal | undefined;
  /** Sent as `If-Match`: the server rejects the change if a newer version exists. */
  version?: number | undefined;
  /** Sent as `Idempotency-Key`: a repeated POST is executed once. */
  key?: string | undefined;
}
export type RequestArgs<P extends keyof paths, M extends Method> = PathArgs<OperationOf<P, M>> &
  QueryArgs<OperationOf<P, M>> &
  BodyArgs<OperationOf<P, M>> &
  RequestOptions;
type CallArgs<S> = Record<string, never> extends S ? [args?: S] : [args: S];

interface UntypedRequest extends RequestOptions {
  path?: Record<string, string | number>;
  query?: Record<string, unknown>;
  body?: unknown;
}

export function buildUrl(path: string, args: Pick<UntypedRequest, "path" | "query"> = {}): string {
  const pathname = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(args.path?.[name] ?? "")),
  );
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(args.query ?? {})) {
    // A list becomes repeated parameters: `action=learn&action=forget`.
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (item !== undefined && item !== null && item !== "") query.append(name, String(item));
    }
  }
  return query.size ? `${pathname}?${query}` : pathname;
}

/** Build request headers; anything but GET carries the CSRF token. */
export function buildHeaders(method: Method, args: UntypedRequest): Record<string, string> {
  return {
    Accept: "application/json",
    ...(args.body === undefined ? {} : { "Content-Type": "application/json" }),
    ...(method === "get" ? {} : { "X-CSRF-Token": untrack(() => connection.session?.csrf) ?? "" }),
    ...(args.version === undefined ? {} : { "If-Match": `"${args.version}"` }),
    ...(args.key === undefined ? {} : { "Idempotency-Key": args.key }),
  };
}

/** Send a request and return the raw response, for streams and files. */
export async function request(
  method: Method,
  path: string,
  args: UntypedRequest = {},
  accept?: string,
): Promise<Response> {
  return connection.fetch(buildUrl(path, args), {
    method: method.toUpperCase(),
    headers: { ...buildHeaders(method, args), ...(accept ? { Accept: accept } : {}) },
    ...(args.body === undefined ? {} : { body: JSON.stringify(args.body) }),
    ...(args.signal ? { signal: args.signal } : {}),
  });
}

async function call(method: Method, path: string, args: UntypedRequest = {}): Promise<unknown> {
  const response = await request(method, path, args);
  return response.status === 204 ? undefined : await response.json();
}

function createMethod<M extends Method>(method: M) {
  return <P extends PathOf<M>>(
    path: P,
    ...[args]: CallArgs<RequestArgs<P, M>>
  ): Promise<ResponseBody<P, M>> =>
    call(method, path as string, args as UntypedRequest) as Promise<ResponseBody<P, M>>;
}

/** `api.get("/api/memory/{memory_id}", { path: { memory_id } })` */
export const api = {
  get: createMethod("get"),
  put: createMethod("put"),
  post: createMethod("post"),
  patch: createMethod("patch"),
  delete: createMethod("delete"),
};

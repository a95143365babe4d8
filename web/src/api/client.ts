/** The server's endpoints, typed by its own description. */

import { untrack } from "svelte";

import { connection } from "./connection.svelte";
import type { paths } from "./schema";

type Method = "get" | "put" | "post" | "patch" | "delete";
type Operation = { parameters: unknown; responses: unknown };
/** The paths at which something can be done this way. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends { [K in M]: Operation } ? P : never;
}[keyof paths];
type Does<P extends keyof paths, M extends Method> = paths[P] extends { [K in M]: infer O } ? O : never;

type Json<R> = R extends { content: { "application/json": infer J } } ? J : never;
/** What an operation answers with. */
export type Answer<P extends keyof paths, M extends Method> =
  Does<P, M> extends { responses: infer R }
    ? { [S in keyof R]: S extends 200 | 201 ? Json<R[S]> : never }[keyof R]
    : never;

type PathPart<O> = O extends { parameters: { path: infer V } } ? { path: V } : { path?: never };
/** What is undefined is not sent. */
type Loosely<V> = { [K in keyof V]: V[K] | undefined };
type QueryPart<O> = O extends { parameters: { query: infer V } }
  ? { query: Loosely<V> }
  : O extends { parameters: { query?: infer V } }
    ? { query?: Loosely<V> }
    : { query?: never };
type BodyPart<O> = O extends { requestBody: { content: { "application/json": infer B } } }
  ? { body: B }
  : O extends { requestBody?: { content: { "application/json": infer B } } }
    ? { body?: B }
    : { body?: never };
export interface Manner {
  signal?: AbortSignal | undefined;
  /** The version that was seen: the change is refused if there is a newer one. */
  version?: number | undefined;
  /** A POST with the same key is done once. */
  key?: string | undefined;
}
export type Sent<P extends keyof paths, M extends Method> = PathPart<Does<P, M>> &
  QueryPart<Does<P, M>> &
  BodyPart<Does<P, M>> &
  Manner;
type Arguments<S> = Record<string, never> extends S ? [sent?: S] : [sent: S];

interface Loose extends Manner {
  path?: Record<string, string | number>;
  query?: Record<string, unknown>;
  body?: unknown;
}

export function address(path: string, sent: Pick<Loose, "path" | "query"> = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(sent.path?.[name] ?? "")));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(sent.query ?? {})) {
    // A list is said one by one: `action=learn&action=forget`.
    for (const each of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (each !== undefined && each !== null && each !== "") query.append(name, String(each));
    }
  }
  return query.size ? `${filled}?${query}` : filled;
}

/** Headers of a request: what changes something proves that it comes from our page. */
export function headers(method: Method, sent: Loose): Record<string, string> {
  return {
    Accept: "application/json",
    ...(sent.body === undefined ? {} : { "Content-Type": "application/json" }),
    ...(method === "get" ? {} : { "X-CSRF-Token": untrack(() => connection.session?.csrf) ?? "" }),
    ...(sent.version === undefined ? {} : { "If-Match": `"${sent.version}"` }),
    ...(sent.key === undefined ? {} : { "Idempotency-Key": sent.key }),
  };
}

/** A request whose answer is read by whoever asked: a stream, a file. */
export async function request(method: Method, path: string, sent: Loose = {}, accept?: string): Promise<Response> {
  return connection.fetch(address(path, sent), {
    method: method.toUpperCase(),
    headers: { ...headers(method, sent), ...(accept ? { Accept: accept } : {}) },
    ...(sent.body === undefined ? {} : { body: JSON.stringify(sent.body) }),
    ...(sent.signal ? { signal: sent.signal } : {}),
  });
}

async function call(method: Method, path: string, sent: Loose = {}): Promise<unknown> {
  const response = await request(method, path, sent);
  return response.status === 204 ? undefined : await response.json();
}

function verb<M extends Method>(method: M) {
  return <P extends PathOf<M>>(path: P, ...[sent]: Arguments<Sent<P, M>>): Promise<Answer<P, M>> =>
    call(method, path as string, sent as Loose) as Promise<Answer<P, M>>;
}

/** `api.get("/api/memory/{memory_id}", { path: { memory_id } })` */
export const api = {
  get: verb("get"),
  put: verb("put"),
  post: verb("post"),
  patch: verb("patch"),
  delete: verb("delete"),
};

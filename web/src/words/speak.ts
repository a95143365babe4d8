/** Typed messages: every language has the same keys, and every message gets what it asks for. */

import { number } from "./format";
import { language, TAGS, type Language } from "./language.svelte";

/** A message that depends on `count`, by Intl's plural categories. */
export type Plural = { other: string } & { [C in Exclude<Intl.LDMLPluralRule, "other">]?: string };
export type Message = string | Plural;
type English = Record<string, Message>;
/** The same keys, and a plural where English has one. */
type Same<E extends English> = { [K in keyof E]: E[K] extends string ? string : Plural };
export interface Catalogue<E extends English = English> {
  en: E;
  pt: Same<E>;
}

type Holes<S extends string> = S extends `${string}{${infer Name}}${infer Rest}` ? Name | Holes<Rest> : never;
type HolesOf<M> = M extends string ? Holes<M> : M extends Plural ? Holes<M["other"]> | "count" : never;
type Value = string | number;
type Filling<M> = [HolesOf<M>] extends [never] ? [] : [values: { [H in HolesOf<M>]: Value }];
/** `say("title")`, `say("found", { count: 3 })` */
export type Say<E extends English> = <K extends keyof E & string>(key: K, ...values: Filling<E[K]>) => string;

/** One page's words. English is written first; Portuguese must have the same keys. */
export function words<const E extends English>(en: E, pt: Same<NoInfer<E>>): Catalogue<E> {
  return { en, pt };
}

/** Speaks the words of a page in the language of now: read it in a template and it follows. */
export function speaker<E extends English>(catalogue: Catalogue<E>): Say<E> {
  return (key, ...[values]) => filled(catalogue[language.now][key] as Message, values ?? {}, language.now);
}

export function filled(message: Message, values: Record<string, Value>, spoken: Language): string {
  const text = typeof message === "string" ? message : plural(message, Number(values["count"] ?? 0), spoken);
  return text.replace(/\{(\w+)\}/g, (hole, name: string) => {
    const value = values[name];
    return value === undefined ? hole : typeof value === "number" ? number(value) : value;
  });
}

function plural(message: Plural, count: number, spoken: Language): string {
  return message[new Intl.PluralRules(TAGS[spoken]).select(count)] ?? message.other;
}

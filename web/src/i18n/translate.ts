/** Typed message catalogs: every language has the same keys, and placeholders are checked at compile time. */

import { number } from "./format";
import { language, LANGUAGE_TAGS, type Language } from "./language.svelte";

/** A message with plural forms, selected by `count`. */
export type Plural = { other: string } & { [C in Exclude<Intl.LDMLPluralRule, "other">]?: string };
export type Message = string | Plural;
type EnglishMessages = Record<string, Message>;
/** The same keys as English, with plural forms where English has them. */
type SameKeys<E extends EnglishMessages> = { [K in keyof E]: E[K] extends string ? string : Plural };
export interface Catalog<E extends EnglishMessages = EnglishMessages> {
  en: E;
  pt: SameKeys<E>;
}

type PlaceholderNames<S extends string> = S extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholderNames<Rest>
  : never;
type PlaceholdersOf<M> = M extends string
  ? PlaceholderNames<M>
  : M extends Plural
    ? PlaceholderNames<M["other"]> | "count"
    : never;
type PlaceholderValue = string | number;
type TranslateArgs<M> = [PlaceholdersOf<M>] extends [never]
  ? []
  : [values: { [H in PlaceholdersOf<M>]: PlaceholderValue }];
/** `t("title")`, `t("found", { count: 3 })` */
export type Translate<E extends EnglishMessages> = <K extends keyof E & string>(
  key: K,
  ...values: TranslateArgs<E[K]>
) => string;

/** Define a catalog. Portuguese must have the same keys as English. */
export function defineMessages<const E extends EnglishMessages>(en: E, pt: SameKeys<NoInfer<E>>): Catalog<E> {
  return { en, pt };
}

/** Create the `t` function of a catalog. It reads the current language, so templates update when it changes. */
export function createTranslator<E extends EnglishMessages>(catalog: Catalog<E>): Translate<E> {
  return (key, ...[values]) =>
    formatMessage(catalog[language.current][key] as Message, values ?? {}, language.current);
}

export function formatMessage(
  message: Message,
  values: Record<string, PlaceholderValue>,
  target: Language,
): string {
  const text =
    typeof message === "string" ? message : selectPlural(message, Number(values["count"] ?? 0), target);
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = values[name];
    return value === undefined ? placeholder : typeof value === "number" ? number(value) : value;
  });
}

function selectPlural(message: Plural, count: number, target: Language): string {
  // CLDR gives 0 the singular in Portuguese; Brazilian interfaces write "0 mensagens".
  if (count === 0) return message.other;
  return message[new Intl.PluralRules(LANGUAGE_TAGS[target]).select(count)] ?? message.other;
}

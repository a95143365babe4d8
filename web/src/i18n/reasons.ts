/** Texts of the server's reasons, rendered by the same rules as `serialization/reasons.py`. */

import type { Reason, ReasonCode } from "../api/types";
import { number, percent } from "./format";
import { language, type Language } from "./language.svelte";
import { translateProblem } from "./problem-messages";
import { REASON_TEXTS } from "./reason-texts";

type Param = string | number;
type Plural = { readonly one: string; readonly other: string };
interface ReasonTexts {
  readonly terms: Record<string, Record<string, string>>;
  readonly texts: Record<ReasonCode, string | Plural>;
  readonly labels: Partial<Record<ReasonCode, string>>;
}
const TEXTS: Record<Language, ReasonTexts> = REASON_TEXTS;
const PLACEHOLDER = /\{(\w+)(?::([\w%]+))?\}/g;

/** The text of a reason as a sentence without a full stop. */
export function reasonText(reason: Reason): string {
  return capitalize(reasonPhrase(reason));
}

/** The text of a reason, to be used within a sentence. */
export function reasonPhrase(reason: Reason): string {
  const text = TEXTS[language.current].texts[reason.code];
  const form = typeof text === "string" ? text : reason.params["count"] === 1 ? text.one : text.other;
  return form.replace(PLACEHOLDER, (placeholder, name: string, format?: string) => {
    const value = reason.params[name];
    if (value === undefined) return placeholder;
    // A detail is the message of an error.
    return name === "detail" ? translateProblem(String(value)) : formatParam(value, format);
  });
}

/** What a code means, without the parameters of a single reason. */
export function reasonLabel(code: ReasonCode): string {
  const { labels, texts } = TEXTS[language.current];
  const text = labels[code] ?? texts[code];
  return capitalize(typeof text === "string" ? text : text.other);
}

function formatParam(value: Param, format: string | undefined): string {
  if (format === undefined) return typeof value === "number" ? number(value) : value;
  if (format === "%") return percent(Number(value));
  if (format === "date")
    return language.current === "pt" ? String(value).split("-").reverse().join("/") : String(value);
  if (/^\d$/.test(format)) {
    const digits = Number(format);
    return number(Number(value), { minimumFractionDigits: digits, maximumFractionDigits: digits });
  }
  return TEXTS[language.current].terms[format]?.[value] ?? String(value);
}

function capitalize(text: string): string {
  return text.charAt(0).toLocaleUpperCase() + text.slice(1);
}

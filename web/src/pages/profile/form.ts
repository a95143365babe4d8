/** The profile as a form: every field is text, lists are written with commas. */

import type { Schemas } from "../../api/types";

export type Profile = Schemas["Profile"];

export const FIELDS = [
  "codingStyle",
  "preferredLanguages",
  "frameworkExperience",
  "projectGoals",
  "domain",
  "constraints",
] as const;
export const NOTES = "freeformNotes";
const LISTS: ReadonlySet<string> = new Set(["preferredLanguages", "frameworkExperience"]);

export type Form = Record<string, string>;

export function formOf(profile: Profile): Form {
  const known: Record<string, string | string[]> = { ...profile.preferences, ...profile.context, ...profile.extra };
  const written = Object.entries(known).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]);
  return { ...Object.fromEntries(FIELDS.map((name) => [name, ""])), ...Object.fromEntries(written), [NOTES]: profile.freeformNotes };
}

/** Fields that other programs keep here. */
export function further(form: Form): string[] {
  return Object.keys(form).filter((name) => name !== NOTES && !(FIELDS as readonly string[]).includes(name));
}

/** What was changed, as the server takes it; an emptied field is sent empty, which takes it out. */
export function changes(before: Form, after: Form): Record<string, string | string[]> {
  const changed = Object.entries(after).filter(([name, value]) => value.trim() !== (before[name] ?? "").trim());
  return Object.fromEntries(changed.map(([name, value]) => [name, LISTS.has(name) ? parts(value) : value.trim()]));
}

function parts(text: string): string[] {
  return text
    .split(",")
    .map((each) => each.trim())
    .filter(Boolean);
}

/** Profile as form values: every field is text, lists are comma-separated. */

import type { Schemas } from "../../api/types";

export type Profile = Schemas["ProfileResponse"];

export const PROFILE_FIELDS = [
  "codingStyle",
  "preferredLanguages",
  "frameworkExperience",
  "projectGoals",
  "domain",
  "constraints",
] as const;
export const NOTES_FIELD = "freeformNotes";
const LIST_FIELDS: ReadonlySet<string> = new Set(["preferredLanguages", "frameworkExperience"]);

export type ProfileFormValues = Record<string, string>;

export function toForm(profile: Profile): ProfileFormValues {
  const values: Record<string, string | string[]> = {
    ...profile.preferences,
    ...profile.context,
    ...profile.extra,
  };
  const textValues = Object.entries(values).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(", ") : value,
  ]);
  return {
    ...Object.fromEntries(PROFILE_FIELDS.map((name) => [name, ""])),
    ...Object.fromEntries(textValues),
    [NOTES_FIELD]: profile.freeformNotes,
  };
}

/** Fields added by other clients. */
export function extraFields(form: ProfileFormValues): string[] {
  return Object.keys(form).filter(
    (name) => name !== NOTES_FIELD && !(PROFILE_FIELDS as readonly string[]).includes(name),
  );
}

/** Changed fields as the API expects them; an empty value removes a field. */
export function changedFields(
  before: ProfileFormValues,
  after: ProfileFormValues,
): Record<string, string | string[]> {
  const changed = Object.entries(after).filter(
    ([name, value]) => value.trim() !== (before[name] ?? "").trim(),
  );
  return Object.fromEntries(
    changed.map(([name, value]) => [name, LIST_FIELDS.has(name) ? splitList(value) : value.trim()]),
  );
}

function splitList(text: string): string[] {
  return text
    .split(",")
    .map((each) => each.trim())
    .filter(Boolean);
}

/** Recall stages in execution order, the total last. */

export const STAGE_ORDER = {
  embed: 1,
  dense: 2,
  lexical: 3,
  around: 4,
  rank: 5,
  assemble: 6,
  total: 99,
} as const;

export function sortTimings(spent: Readonly<Record<string, number>>): [name: string, milliseconds: number][] {
  const place = (name: string) => (STAGE_ORDER as Readonly<Record<string, number>>)[name] ?? 50;
  return Object.entries(spent)
    .map(([name, value]): [string, number] => [name.replace(/_ms$/, ""), value])
    .sort(([a], [b]) => place(a) - place(b));
}

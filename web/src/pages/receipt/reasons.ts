/** The server's reasons, which are short English notes, as sentences in the language of now. */

import { say as common } from "../../words/common";
import { number } from "../../words/format";
import { say } from "./words";

type Rule = [pattern: RegExp, tell: (found: string[]) => string];

const figure = (text: string | undefined) => number(Number(text));
const KINDS = ["bio", "pref", "emo", "obj", "evt", "dec", "note"] as const;
const STANDINGS = ["active", "quarantined", "contested", "superseded", "archived", "forgotten"] as const;
const MODES = ["on", "collect_only", "recall_only", "off"] as const;

function category(name: string | undefined): string {
  const kind = KINDS.find((each) => each === name);
  return kind ? common(`kind.${kind}`) : name === "profile" ? common("source.profile") : (name ?? "");
}

const RULES: readonly Rule[] = [
  [/^cosine (-?[\d.]+) is below ([\d.]+)$/, ([, near, least]) => say("why.cosine", { near: figure(near), least: figure(least) })],
  [/^below ([\d.]+)% of the best score$/, ([, share]) => say("why.cliff", { share: figure(share) })],
  [/^rank (\d+), only (\d+) are handed on$/, ([, rank, most]) => say("why.rank", { rank: figure(rank), most: figure(most) })],
  [/^only (\d+) (?:facts|messages) are handed on$/, ([, most]) => say("why.most", { most: figure(most) })],
  [/^over budget \(needs (\d+), (\d+) left\)$/, ([, needs, left]) => say("why.budget", { needs: figure(needs), left: figure(left) })],
  [/^after the first passage over budget$/, () => say("why.afterBudget")],
  [/^no visible text$/, () => say("why.blank")],
  [/^only beside one that was found$/, () => say("why.beside")],
  [/^covered by its chunk$/, () => say("why.chunk")],
  [/^a memory says the same$/, () => say("why.memory")],
  [/^already in the conversation$/, () => say("why.told")],
  [/^injected a moment ago$/, () => say("why.repeated")],
  [/^the profile is shown whole$/, () => say("why.profile")],
  [/^its file is shown whole$/, () => say("why.file")],
  [/^same text as .*$/, () => say("why.twin")],
  [/^nothing: it is recalled$/, () => say("why.recalled")],
  [/^not among the (\d+) best of either channel$/, ([, most]) => say("why.unfound", { most: figure(most) })],
  [/^it is (\w+)(?:: (.*))?$/, ([whole, name]) => {
    const standing = STANDINGS.find((each) => each === name);
    return standing ? say("why.standing", { standing: common(`standing.${standing}`) }) : (whole ?? "");
  }],
  [/^everything: memory is (\w+) here$/, ([whole, name]) => {
    const mode = MODES.find((each) => each === name);
    return mode ? say("skipped.mode", { mode: common(`mode.${mode}`) }) : (whole ?? "");
  }],
  [/^(\w+): no consent$/, ([, name]) => say("skipped.consent", { category: category(name) })],
  [/^(\d+) more candidates, further down$/, ([, count]) => say("skipped.more", { count: Number(count) })],
  [/^no room for (\d+) recent messages$/, ([, count]) => say("skipped.recent", { count: Number(count) })],
  [/^no room for (\d+) earlier summaries$/, ([, count]) => say("skipped.earlier", { count: Number(count) })],
  [/^profile: (.*)$/, ([, why]) => `${common("source.profile")}: ${reason(why ?? "")}`],
  [/^session summary: (.*)$/, ([, why]) => `${common("source.summary")}: ${reason(why ?? "")}`],
  [/^context file (.*?): (.*)$/, ([, name, why]) => `${name}: ${reason(why ?? "")}`],
  [/^lexical only: (.*)$/, ([, why]) => say("degraded.lexical", { why: why ?? "" })],
  [/^dense only: (.*)$/, ([, why]) => say("degraded.dense", { why: why ?? "" })],
  [/^recollections only: (.*)$/, ([, why]) => say("degraded.tiers", { why: why ?? "" })],
  [/^this receipt is not kept: (.*)$/, ([, why]) => say("degraded.unkept", { why: why ?? "" })],
];

/** A reason nobody translated is shown as it is. */
export function reason(text: string): string {
  for (const [pattern, tell] of RULES) {
    const found = pattern.exec(text);
    if (found) return tell([...found]);
  }
  return text;
}

/** Sources that were left out because the user said so, apart from other notes. */
export function isConsent(note: string): boolean {
  return /^(\w+: no consent|everything: memory is \w+ here)$/.test(note);
}

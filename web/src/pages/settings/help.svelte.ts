/** What a setting does, in the language of now: English is the server's own, Portuguese is loaded when it is spoken. */

import type { Setting } from "../../api/types";
import { language } from "../../words/language.svelte";

let portuguese = $state.raw<Record<string, string>>({});
let asked = false;

export function help(setting: Pick<Setting, "name" | "doc">): string {
  if (language.now === "en") return setting.doc;
  if (!asked) {
    asked = true;
    void import("./help.pt").then((loaded) => (portuguese = loaded.help));
  }
  return portuguese[setting.name] ?? setting.doc;
}

/** Help text of a setting: English from the server, Portuguese loaded on demand. */

import type { Setting } from "../../api/types";
import { language } from "../../i18n/language.svelte";

let portuguese = $state.raw<Record<string, string>>({});
let isRequested = false;

export function help(setting: Pick<Setting, "name" | "doc">): string {
  if (language.current === "en") return setting.doc;
  if (!isRequested) {
    isRequested = true;
    void import("./help.pt").then((loaded) => (portuguese = loaded.help));
  }
  return portuguese[setting.name] ?? setting.doc;
}

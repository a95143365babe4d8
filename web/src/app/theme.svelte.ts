/** Light, dark, or as the system is. The file theme.js does the same before the first paint. */

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];
const KEPT = "recollect.theme";

function read(): Theme {
  try {
    const kept = localStorage.getItem(KEPT);
    return kept === "light" || kept === "dark" ? kept : "system";
  } catch {
    return "system"; // A browser that keeps nothing.
  }
}

class Current {
  #now = $state<Theme>(read());
  #system = $state(matchMedia("(prefers-color-scheme: dark)").matches);

  constructor() {
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => (this.#system = event.matches));
  }

  get now(): Theme {
    return this.#now;
  }

  /** What is seen: charts paint themselves and must know. */
  get isDark(): boolean {
    return this.#now === "dark" || (this.#now === "system" && this.#system);
  }

  choose(theme: Theme): void {
    this.#now = theme;
    if (theme === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
    try {
      localStorage.setItem(KEPT, theme);
    } catch {
      // It holds until the page is closed.
    }
  }
}

export const theme = new Current();

/** Theme preference. public/theme.js applies the same before first paint. */

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];
const STORAGE_KEY = "recollect.theme";

function readStored(): Theme {
  try {
    const stored = localStorage.getItem(STORAGE_KEY);
    return stored === "light" || stored === "dark" ? stored : "system";
  } catch {
    return "system"; // Storage is not available.
  }
}

class ThemePreference {
  #current = $state<Theme>(readStored());
  #isSystemDark = $state(matchMedia("(prefers-color-scheme: dark)").matches);

  constructor() {
    matchMedia("(prefers-color-scheme: dark)").addEventListener(
      "change",
      (event) => (this.#isSystemDark = event.matches),
    );
  }

  get current(): Theme {
    return this.#current;
  }

  /** Effective theme; charts draw on a canvas and need it. */
  get isDark(): boolean {
    return this.#current === "dark" || (this.#current === "system" && this.#isSystemDark);
  }

  set(theme: Theme): void {
    this.#current = theme;
    if (theme === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
    try {
      localStorage.setItem(STORAGE_KEY, theme);
    } catch {
      // Storage is not available; the choice lasts until the page is closed.
    }
  }
}

export const theme = new ThemePreference();

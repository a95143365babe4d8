/** The language of the pages, which is not that of what is remembered. */

export const LANGUAGES = ["en", "pt"] as const;
export type Language = (typeof LANGUAGES)[number];
/** What browsers and Intl call them. */
export const TAGS: Record<Language, string> = { en: "en", pt: "pt-BR" };
const KEPT = "recollect.language";

export function nearest(tag: string | null | undefined): Language | undefined {
  return LANGUAGES.find((each) => tag?.toLowerCase().split("-")[0] === each);
}

/** What was chosen here, else what the browser speaks first of what we do. */
export function preferred(kept: string | null, spoken: readonly string[]): Language {
  return nearest(kept) ?? spoken.map(nearest).find((each) => each !== undefined) ?? "en";
}

function read(): string | null {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null; // A browser that keeps nothing.
  }
}

class Current {
  #now = $state<Language>(preferred(read(), navigator.languages ?? [navigator.language]));

  get now(): Language {
    return this.#now;
  }

  get tag(): string {
    return TAGS[this.#now];
  }

  /** Speak another language from here on, in this browser. */
  choose(language: Language): void {
    this.#now = language;
    document.documentElement.lang = TAGS[language];
    try {
      localStorage.setItem(KEPT, language);
    } catch {
      // It holds until the page is closed.
    }
  }
}

export const language = new Current();

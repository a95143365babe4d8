/** UI language preference; independent of the language of stored content. */

export const LANGUAGES = ["en", "pt"] as const;
export type Language = (typeof LANGUAGES)[number];
/** BCP 47 tags for Intl and the `lang` attribute. */
export const LANGUAGE_TAGS: Record<Language, string> = { en: "en", pt: "pt-BR" };
const STORAGE_KEY = "recollect.language";

export function matchLanguage(tag: string | null | undefined): Language | undefined {
  return LANGUAGES.find((each) => tag?.toLowerCase().split("-")[0] === each);
}

/** The stored choice, or else the first supported browser language. */
export function preferredLanguage(stored: string | null, browserLanguages: readonly string[]): Language {
  return (
    matchLanguage(stored) ?? browserLanguages.map(matchLanguage).find((each) => each !== undefined) ?? "en"
  );
}

function readStored(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY);
  } catch {
    return null; // Storage is not available.
  }
}

class LanguagePreference {
  #current = $state<Language>(preferredLanguage(readStored(), navigator.languages ?? [navigator.language]));

  get current(): Language {
    return this.#current;
  }

  get tag(): string {
    return LANGUAGE_TAGS[this.#current];
  }

  /** Change the language and remember it in this browser. */
  set(language: Language): void {
    this.#current = language;
    document.documentElement.lang = LANGUAGE_TAGS[language];
    try {
      localStorage.setItem(STORAGE_KEY, language);
    } catch {
      // Storage is not available; the choice lasts until the page is closed.
    }
  }
}

export const language = new LanguagePreference();

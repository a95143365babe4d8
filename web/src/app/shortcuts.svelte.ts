/** Keyboard shortcuts, active unless a text input has the focus. Pages register theirs while mounted. */

import { untrack } from "svelte";

export interface Shortcut {
  /** One key such as `/`, `j` or `?`, or a sequence of two such as `g m`. */
  keys: string;
  /** Description for the help dialog; a function, so that it follows the language. */
  text: () => string;
  run: (event: KeyboardEvent) => void;
}

/** Time in which the second key of a sequence must follow. */
const SEQUENCE_TIMEOUT_MS = 1200;

class Shortcuts {
  all = $state.raw<readonly Shortcut[]>([]);
  #pending: { key: string; at: number } | undefined;

  /** In a component: `$effect(() => shortcuts.add([...]))`; removed when it unmounts. */
  add(added: readonly Shortcut[]): () => void {
    // Untracked: an effect that registers shortcuts must not depend on other shortcuts.
    this.all = [...untrack(() => this.all), ...added];
    return () => (this.all = untrack(() => this.all).filter((each) => !added.includes(each)));
  }

  handleKeydown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTextInput(event.target))
      return;
    if (document.querySelector("dialog[open]")) return;
    const prefix =
      this.#pending && event.timeStamp - this.#pending.at < SEQUENCE_TIMEOUT_MS
        ? `${this.#pending.key} `
        : "";
    this.#pending = undefined;
    // The most recently registered shortcut wins.
    const shortcut = this.all.findLast((each) => each.keys === prefix + event.key);
    if (shortcut) {
      event.preventDefault();
      shortcut.run(event);
    } else if (this.all.some((each) => each.keys.startsWith(`${event.key} `))) {
      this.#pending = { key: event.key, at: event.timeStamp };
    }
  };
}

function isTextInput(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches("textarea, select, input:not([type=checkbox], [type=radio], [type=range])"))
  );
}

export const shortcuts = new Shortcuts();

/** Keys that do something, wherever the focus is but in a field. Pages add theirs while they are shown. */

import { untrack } from "svelte";

export interface Shortcut {
  /** One key, like `/`, `j` or `?`; or two after each other, like `g m`. */
  keys: string;
  /** What it does, for the help; read when shown, so that it speaks the language of now. */
  text: () => string;
  run: (event: KeyboardEvent) => void;
}

/** Milliseconds in which the second key must follow. */
const TOGETHER = 1200;

class Shortcuts {
  all = $state.raw<readonly Shortcut[]>([]);
  #begun: { key: string; at: number } | undefined;

  /** In a component: `$effect(() => shortcuts.add([...]))`; they go with it. */
  add(more: readonly Shortcut[]): () => void {
    // An effect that adds must not depend on what others add.
    this.all = [...untrack(() => this.all), ...more];
    return () => (this.all = untrack(() => this.all).filter((each) => !more.includes(each)));
  }

  press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isWriting(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    const before = this.#begun && event.timeStamp - this.#begun.at < TOGETHER ? `${this.#begun.key} ` : "";
    this.#begun = undefined;
    // What was added last is nearest to the user.
    const found = this.all.findLast((each) => each.keys === before + event.key);
    if (found) {
      event.preventDefault();
      found.run(event);
    } else if (this.all.some((each) => each.keys.startsWith(`${event.key} `))) {
      this.#begun = { key: event.key, at: event.timeStamp };
    }
  };
}

function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox], [type=radio], [type=range])"))
  );
}

export const shortcuts = new Shortcuts();

/** Short notices, each with a way back where there is one. */

import { asThrown } from "../api/problem";
import { say } from "../words/common";
import { problemText } from "../words/problems";

export interface Toast {
  id: number;
  text: string;
  tone: "plain" | "bad";
  undo?: (() => Promise<unknown>) | undefined;
  action?: { text: string; run: () => void } | undefined;
}

/** Milliseconds a notice stays; one with a way back stays longer, and none goes while it is looked at. */
const STAY = 5000;
const STAY_UNDO = 12000;

class Toasts {
  all = $state.raw<readonly Toast[]>([]);
  #next = 1;
  #timers = new Map<number, ReturnType<typeof setTimeout>>();

  /** `toasts.tell(say("forgotten", { count }), { undo: () => api.post("/api/memory/undo", …) })` */
  tell(text: string, how: Partial<Pick<Toast, "tone" | "undo" | "action">> = {}): number {
    const toast: Toast = { id: this.#next++, text, tone: how.tone ?? "plain", undo: how.undo, action: how.action };
    this.all = [...this.all.slice(-2), toast];
    this.wait(toast.id);
    return toast.id;
  }

  /** What could not be done, in the server's words. */
  fail(error: unknown): void {
    const problem = asThrown(error);
    if (!problem.isOffline && !problem.isStranger) this.tell(problemText(problem), { tone: "bad" });
  }

  async undo(id?: number): Promise<void> {
    const toast = id === undefined ? this.all.findLast((each) => each.undo) : this.all.find((each) => each.id === id);
    if (!toast?.undo) return;
    this.drop(toast.id);
    try {
      await toast.undo();
      this.tell(say("undone"));
    } catch (error) {
      this.fail(error);
    }
  }

  drop(id: number): void {
    this.hold(id);
    this.all = this.all.filter((each) => each.id !== id);
  }

  hold(id: number): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
  }

  wait(id: number): void {
    const toast = this.all.find((each) => each.id === id);
    if (!toast) return;
    this.hold(id);
    this.#timers.set(id, setTimeout(() => this.drop(id), toast.undo || toast.action ? STAY_UNDO : STAY));
  }
}

export const toasts = new Toasts();

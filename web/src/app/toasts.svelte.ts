/** Toast notifications with an optional undo action. */

import { toProblem } from "../api/problem";
import { t } from "../i18n/common";
import { problemText } from "../i18n/problems";

export interface Toast {
  id: number;
  text: string;
  tone: "plain" | "bad";
  undo?: (() => Promise<unknown>) | undefined;
  action?: { text: string; run: () => void } | undefined;
}

/** Time a toast stays visible; longer with an action, and paused while hovered or focused. */
const TOAST_MS = 5000;
const TOAST_WITH_ACTION_MS = 12000;

class Toasts {
  all = $state.raw<readonly Toast[]>([]);
  #next = 1;
  #timers = new Map<number, ReturnType<typeof setTimeout>>();

  /** `toasts.show(t("forgotten", { count }), { undo: () => api.post("/api/memory/undo", …) })` */
  show(text: string, options: Partial<Pick<Toast, "tone" | "undo" | "action">> = {}): number {
    const toast: Toast = {
      id: this.#next++,
      text,
      tone: options.tone ?? "plain",
      undo: options.undo,
      action: options.action,
    };
    this.all = [...this.all.slice(-2), toast];
    this.resume(toast.id);
    return toast.id;
  }

  /** Show an error. Offline and signed-out states have their own display. */
  showError(error: unknown): void {
    const problem = toProblem(error);
    if (!problem.isOffline && !problem.isUnauthorized) this.show(problemText(problem), { tone: "bad" });
  }

  async undo(id?: number): Promise<void> {
    const toast =
      id === undefined ? this.all.findLast((each) => each.undo) : this.all.find((each) => each.id === id);
    if (!toast?.undo) return;
    this.dismiss(toast.id);
    try {
      await toast.undo();
      this.show(t("undone"));
    } catch (error) {
      this.showError(error);
    }
  }

  dismiss(id: number): void {
    this.pause(id);
    this.all = this.all.filter((each) => each.id !== id);
  }

  pause(id: number): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
  }

  resume(id: number): void {
    const toast = this.all.find((each) => each.id === id);
    if (!toast) return;
    this.pause(id);
    this.#timers.set(
      id,
      setTimeout(() => this.dismiss(id), toast.undo || toast.action ? TOAST_WITH_ACTION_MS : TOAST_MS),
    );
  }
}

export const toasts = new Toasts();

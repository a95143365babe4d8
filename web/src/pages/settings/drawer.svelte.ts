/** All settings as they hold now; a change is written at once and shown as the server took it. */

import { api } from "../../api/client";
import { resource, type Resource } from "../../api/resource.svelte";
import type { Schemas, Setting } from "../../api/types";
import { toasts } from "../../app/toasts.svelte";
import { say } from "./words";
import { shown, type Value } from "./values";

export class Drawer {
  all: Resource<Schemas["SettingsList"]> = resource((signal) => api.get("/api/settings", { signal }));

  get(name: string): Setting | undefined {
    return this.all.data?.results.find((each) => each.name === name);
  }

  /** Throws what the server says against it. */
  async set(name: string, value: NonNullable<Value>): Promise<void> {
    this.#took(await api.put("/api/settings/{name}", { path: { name }, body: { value } }), "saved");
  }

  async reset(name: string): Promise<void> {
    this.#took(await api.delete("/api/settings/{name}", { path: { name } }), "wasReset");
  }

  #took(setting: Setting, told: "saved" | "wasReset"): void {
    if (this.all.data) {
      const results = this.all.data.results.map((each) => (each.name === setting.name ? setting : each));
      this.all.data = { ...this.all.data, results };
    }
    toasts.tell(say(told, { name: setting.name, value: shown(setting) }));
    // A preset changes others with it, and any value may make sense of a warning or not.
    void this.all.reload();
  }
}

/** All settings with their effective values; changes are saved immediately. */

import { api } from "../../api/client";
import { resource, type Resource } from "../../api/resource.svelte";
import type { Schemas, Setting } from "../../api/types";
import { toasts } from "../../app/toasts.svelte";
import { t } from "./messages";
import { displayValue, type SettingValue } from "./setting-values";

export class SettingsStore {
  all: Resource<Schemas["SettingListResponse"]> = resource((signal) => api.get("/api/settings", { signal }));

  get(name: string): Setting | undefined {
    return this.all.data?.results.find((each) => each.name === name);
  }

  /** Throws a Problem if the server rejects the value. */
  async set(name: string, value: NonNullable<SettingValue>): Promise<void> {
    this.#applied(await api.put("/api/settings/{name}", { path: { name }, body: { value } }), "saved");
  }

  async reset(name: string): Promise<void> {
    this.#applied(await api.delete("/api/settings/{name}", { path: { name } }), "wasReset");
  }

  #applied(setting: Setting, messageKey: "saved" | "wasReset"): void {
    if (this.all.data) {
      const results = this.all.data.results.map((each) => (each.name === setting.name ? setting : each));
      this.all.data = { ...this.all.data, results };
    }
    toasts.show(t(messageKey, { name: setting.name, value: displayValue(setting) }));
    // A preset changes other settings, and any change may affect the warnings.
    void this.all.reload();
  }
}

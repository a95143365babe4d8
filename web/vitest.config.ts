import { defineConfig, mergeConfig } from "vitest/config";

import vite from "./vite.config.ts";

export default mergeConfig(
  vite,
  // One jsdom for all files: creating one takes longer than running the tests.
  defineConfig({
    test: { environment: "jsdom", include: ["tests/**/*.test.ts"], isolate: false, maxWorkers: 1 },
  }),
);

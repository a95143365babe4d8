import { defineConfig, mergeConfig } from "vitest/config";

import vite from "./vite.config.ts";

export default mergeConfig(
  vite,
  // One page for all files: making another takes longer than all tests.
  defineConfig({ test: { environment: "jsdom", include: ["tests/**/*.test.ts"], isolate: false, maxWorkers: 1 } }),
);

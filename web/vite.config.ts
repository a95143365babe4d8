import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vite";

const src = fileURLToPath(new URL("./src", import.meta.url));
const outDir = fileURLToPath(new URL("../src/recollect/server/static", import.meta.url));
/** Address of `recollect up`, for the proxy of the development server. */
const serverUrl = process.env.RECOLLECT_URL ?? "http://127.0.0.1:8765";
const proxiedPaths = [
  "/api",
  "/chats",
  "/session",
  "/login",
  "/health",
  "/version",
  "/docs",
  "/openapi.json",
];

/** Write .gz files next to the assets; the server sends them as they are. */
function precompress(): Plugin {
  let out = "";
  return {
    name: "precompress",
    apply: "build",
    configResolved: (config) => void (out = resolve(config.root, config.build.outDir)),
    closeBundle() {
      for (const name of readdirSync(out, { recursive: true, encoding: "utf-8" })) {
        if (/\.(js|css|html|svg)$/.test(name)) {
          writeFileSync(join(out, `${name}.gz`), gzipSync(readFileSync(join(out, name)), { level: 9 }));
        }
      }
    },
  };
}

export default defineConfig({
  plugins: [svelte(), precompress()],
  resolve: {
    alias: { $: src },
    // Test the browser build of Svelte components.
    ...(process.env.VITEST ? { conditions: ["browser"] } : {}),
  },
  build: {
    outDir,
    emptyOutDir: true,
    target: ["chrome125", "firefox128", "safari17.5"],
    // Inlined data: URLs would violate the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: Object.fromEntries(
      // The server rejects requests from other origins.
      proxiedPaths.map((path) => [
        path,
        { target: serverUrl, changeOrigin: true, headers: { origin: serverUrl } },
      ]),
    ),
  },
});

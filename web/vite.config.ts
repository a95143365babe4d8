import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vite";

const src = fileURLToPath(new URL("./src", import.meta.url));
const built = fileURLToPath(new URL("../src/recollect/server/static", import.meta.url));
/** Where `recollect up` listens, for the development server. */
const server = process.env.RECOLLECT_URL ?? "http://127.0.0.1:8765";
const served = ["/api", "/chats", "/session", "/login", "/health", "/version", "/docs", "/openapi.json"];

/** The server hands out what was compressed beforehand. */
function compressed(): Plugin {
  let out = "";
  return {
    name: "compressed",
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
  plugins: [svelte(), compressed()],
  resolve: {
    alias: { $: src },
    // Components are tested as the browser runs them.
    ...(process.env.VITEST ? { conditions: ["browser"] } : {}),
  },
  build: {
    outDir: built,
    emptyOutDir: true,
    target: ["chrome125", "firefox128", "safari17.5"],
    // What is written into a page as data: would be refused by the page's own rules.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: Object.fromEntries(
      // The server answers to pages of its own address only.
      served.map((path) => [path, { target: server, changeOrigin: true, headers: { origin: server } }]),
    ),
  },
});

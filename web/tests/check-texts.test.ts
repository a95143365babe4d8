import { afterEach, expect, test } from "vitest";

import { language } from "$/i18n/language.svelte";
import { checkText } from "$/pages/health/check-texts";

afterEach(() => language.set("en"));

test.each([
  ["78.4 GB free", "78,4 GB livres"],
  ["1 passages are queued for embedding", "1 trecho na fila de embeddings"],
  ["0 orphaned vectors", "0 vetores órfãos"],
  ["140 of 1400 passages", "140 de 1.400 trechos"],
  ["140 of bge-small", "140 de bge-small"],
  ["3 of old-model; the current model is bge-small", "3 de old-model; o modelo atual é bge-small"],
  ["see `recollect settings get embedder`", "veja `recollect settings get embedder`"],
  [
    "9 of the last 12 messages are not English, and bge-small supports only English",
    "9 das últimas 12 mensagens não estão em inglês, e bge-small só funciona bem em inglês",
  ],
  [
    "3 of the last 4 messages are in languages without extraction rules (de, fr), so nothing is learned from them",
    "3 das últimas 4 mensagens estão em idiomas sem regras de extração (de, fr); nada é aprendido com elas",
  ],
  ["backups, index repair", "backup, reparo do índice"],
  [
    "none; not available with this database: backups, byte erasure",
    "nenhum; indisponíveis neste banco: backup, apagamento físico",
  ],
  ["/data/memory.db", "/data/memory.db"],
])("the detail %j is shown as %j in Portuguese", (detail, expected) => {
  language.set("pt");
  expect(checkText(detail)).toBe(expected);
});

test("details are shown as written in English", () => {
  expect(checkText("78.4 GB free")).toBe("78.4 GB free");
});

/** Portuguese details and fixes of the health checks; the server writes them in English. */

import { language } from "../../i18n/language.svelte";
import { compileTable, NUMBER, type PlaceholderSpec, type SentenceTable } from "../../i18n/sentence-table";

const CAPABILITIES: Record<string, string> = {
  none: "nenhum",
  backups: "backup",
  "byte erasure": "apagamento físico",
  "index repair": "reparo do índice",
};
const CAPABILITY = Object.keys(CAPABILITIES).join("|");
const CAPABILITY_LIST: PlaceholderSpec = [
  `(?:${CAPABILITY})(?:, (?:${CAPABILITY}))*`,
  (names) =>
    names
      .split(", ")
      .map((name) => CAPABILITIES[name] ?? name)
      .join(", "),
];

const CHECK_TEXTS: SentenceTable = [
  ["ok", "ok"],
  ["none", "nenhuma"],
  ["valid", "válidas"],
  ["in memory", "em memória"],
  ["{size} GB free", "{size} GB livres"],
  ["{count} broken", { one: "{count} quebrada", other: "{count} quebradas" }],
  ["{count} of {total} passages", "{count} de {total} trechos"],
  [
    "{count} passages have no vector and are not queued",
    { one: "{count} trecho sem vetor e fora da fila", other: "{count} trechos sem vetor e fora da fila" },
  ],
  ["{count} orphaned vectors", { one: "{count} vetor órfão", other: "{count} vetores órfãos" }],
  [
    "{count} vectors of an older text",
    { one: "{count} vetor de um texto antigo", other: "{count} vetores de um texto antigo" },
  ],
  ["{count} rows without a passage", { one: "{count} linha sem trecho", other: "{count} linhas sem trecho" }],
  ["{count} passages without a row", { one: "{count} trecho sem linha", other: "{count} trechos sem linha" }],
  [
    "{count} users with wrong statistics",
    {
      one: "{count} usuário com estatísticas incorretas",
      other: "{count} usuários com estatísticas incorretas",
    },
  ],
  [
    "{count} index entries or vectors of an older text",
    {
      one: "{count} entrada do índice ou vetor de um texto antigo",
      other: "{count} entradas do índice ou vetores de um texto antigo",
    },
  ],
  [
    "{count} passages are queued for embedding",
    { one: "{count} trecho na fila de embeddings", other: "{count} trechos na fila de embeddings" },
  ],
  [
    "{model}, {count} dimensions, {time} ms with loading",
    "{model}, {count} dimensões, {time} ms incluindo o carregamento",
  ],
  [
    "{count} of the last {total} messages are not English, and {model} supports only English",
    "{count} das últimas {total} mensagens não estão em inglês, e {model} só funciona bem em inglês",
  ],
  [
    "{count} of the last {total} messages are in languages without extraction rules ({languages}), so nothing is learned from them",
    "{count} das últimas {total} mensagens estão em idiomas sem regras de extração ({languages}); nada é aprendido com elas",
  ],
  ["{count} of {model}; the current model is {current}", "{count} de {model}; o modelo atual é {current}"],
  ["{count} of {model}", "{count} de {model}"],
  ["not configured: search is lexical only", "não configurado: só busca por palavras-chave"],
  ["no failures in the last week", "nenhuma falha na última semana"],
  [
    "{count} failures in the last week; the newest, of {host}: {error}",
    {
      one: "{count} falha na última semana, em {host}: {error}",
      other: "{count} falhas na última semana; a mais recente, em {host}: {error}",
    },
  ],
  ["matches the text", "corresponde ao texto"],
  ["does not match the text", "não corresponde ao texto"],
  [
    "the file was deleted, moved or replaced while it was open; writes are refused",
    "o arquivo foi excluído, movido ou substituído enquanto estava aberto; gravações são recusadas",
  ],
  ["the role bypasses it", "o papel do banco a ignora"],
  ["applies to the role", "vale para o papel do banco"],
  [
    "{count} of {total} in use, {waiting} requests waiting",
    "{count} de {total} em uso, {waiting} requisições em espera",
  ],
  ["{count}, replay lag {time} s", "{count}, atraso de replicação de {time} s"],
  [
    "{present}; not available with this database: {missing}",
    "{present}; indisponíveis neste banco: {missing}",
  ],
  ["{present}", "{present}"],
  ["restore a backup", "restaure um backup"],
  ["free some space", "libere espaço em disco"],
  [
    "save it with {call} or {request} before this process ends",
    "salve-o com {call} ou {request} antes que este processo termine",
  ],
  ["set `model`; see `recollect settings`", "defina `model`; veja `recollect settings`"],
  ["set `embedder`; see `recollect settings`", "defina `embedder`; veja `recollect settings`"],
  ["see `{command}`", "veja `{command}`"],
  ["add a multilingual model: {command}", "adicione um modelo multilíngue: {command}"],
  [
    "upgrade pgvector, then run ALTER EXTENSION vector UPDATE",
    "atualize o pgvector e execute ALTER EXTENSION vector UPDATE",
  ],
  [
    "ALTER SYSTEM SET {setting}: a crash may lose acknowledged data",
    "ALTER SYSTEM SET {setting}: sem isso, uma queda pode perder dados já confirmados",
  ],
  [
    "connect as a role without SUPERUSER and BYPASSRLS that owns the tables",
    "conecte-se com um papel sem SUPERUSER nem BYPASSRLS que seja dono das tabelas",
  ],
  [
    "raise max_connections, or connect through PgBouncer",
    "aumente max_connections ou conecte-se por meio do PgBouncer",
  ],
  [
    "raise postgres_connections, or start more processes",
    "aumente postgres_connections ou inicie mais processos",
  ],
  ["check that autovacuum runs, or run VACUUM", "verifique se o autovacuum está ativo ou execute VACUUM"],
];
const translate = compileTable(CHECK_TEXTS, {
  count: NUMBER,
  total: NUMBER,
  size: NUMBER,
  time: NUMBER,
  waiting: NUMBER,
  present: CAPABILITY_LIST,
  missing: CAPABILITY_LIST,
});

/** Translate a detail or fix of a check. Versions, paths, commands and messages of others are shown unchanged. */
export function checkText(text: string): string {
  return language.current === "en" ? text : (translate(text) ?? text);
}

/** Translates English texts of the server. Texts that are not in the table are shown unchanged. */

import { SENTENCE_PATTERN } from "../api/problem";
import { t as common } from "./common";
import { language } from "./language.svelte";
import { formatMessage, type Message } from "./translate";

/** Server text, Portuguese translation, and optionally a clearer English text for the UI. */
type TranslationRow = readonly [server: string, portuguese: Message, english?: Message];
type PlaceholderSpec = readonly [pattern: string, read: (text: string) => string | number];

/** The first match wins. tests/web compares the first column with the server's texts. */
export const SERVER_MESSAGES: readonly TranslationRow[] = [
  // Reasons why a passage was left out.
  [
    "cosine {near} is below {least}",
    "Similaridade semântica baixa demais: {near}; o mínimo é {least}.",
    "Semantic similarity too low: {near}; the minimum is {least}.",
  ],
  [
    "below {share}% of the best score",
    "Pontuação abaixo de {share} % da melhor.",
    "Scored below {share} % of the best score.",
  ],
  [
    "ranked {ordinal}; the limit is {most}",
    "Ficou em {ordinal} lugar; o limite é {most}.",
    "Ranked {ordinal}; the limit is {most}.",
  ],
  [
    "the limit is {most} memories",
    "Limite de {most} memórias atingido.",
    "Limit of {most} memories reached.",
  ],
  [
    "the limit is {most} messages",
    "Limite de {most} mensagens atingido.",
    "Limit of {most} messages reached.",
  ],
  [
    "over budget (needs {needs}, {left} left)",
    "Acima do orçamento: precisa de {needs} tokens, restavam {left}.",
    "Over budget: needs {needs} tokens, {left} were left.",
  ],
  [
    "after the first passage over budget",
    "Vem depois de um trecho que excedeu o orçamento.",
    "Comes after a passage that exceeded the budget.",
  ],
  ["no visible text", "Sem texto visível.", "No visible text."],
  ["only a neighbour of a match", "Apenas vizinho de um resultado.", "Only a neighbor of a match."],
  [
    "covered by its chunk",
    "Já incluído em um trecho da mesma mensagem.",
    "Already included in a chunk of the same message.",
  ],
  ["a memory says the same", "Uma memória já diz o mesmo.", "A memory already says the same."],
  [
    "it states nothing: a question, a greeting or thanks",
    "Não afirma nada: é uma pergunta, uma saudação ou um agradecimento.",
    "States nothing: a question, a greeting or thanks.",
  ],
  [
    "relevance {near} is below {least}",
    "Relevância baixa demais: {near}; o mínimo é {least}.",
    "Relevance too low: {near}; the minimum is {least}.",
  ],
  ["says the same as {source} {id}", "Diz o mesmo que outro trecho.", "Says the same as another passage."],
  ["already in the conversation", "Já está na conversa.", "Already in the conversation."],
  ["injected recently", "Já enviado ao modelo há pouco.", "Already sent to the model recently."],
  [
    "the full profile is included",
    "O perfil já está incluído por completo.",
    "The full profile is already included.",
  ],
  [
    "its full file is included",
    "O arquivo já está incluído por completo.",
    "Its full file is already included.",
  ],
  ["same text as {source} {id}", "Duplicata de outro trecho.", "Duplicate of another passage."],
  ["it is recalled", "Nenhum motivo: é usada nesta consulta.", "No reason: it is recalled for this query."],
  [
    "not among the top {most} of dense or lexical search",
    "Não está entre os {most} melhores resultados da busca semântica nem da busca por palavras-chave.",
    "Not among the top {most} of semantic or keyword search.",
  ],
  ["it is {status}", "Não está ativa: {status}.", "Not active: {status}."],
  ["it is {status}: {why}", "Não está ativa ({status}): {why}", "Not active ({status}): {why}"],

  // Sources that were skipped or did not fit.
  [
    "all sources: memory is {mode}",
    "Memória não consultada: o modo é “{mode}”.",
    "Memory not searched: the mode is “{mode}”.",
  ],
  ["{category}: no consent", "{category}: não usado, sem consentimento.", "{category} not used: no consent."],
  [
    "{count} more candidates ranked lower",
    "Mais {count} candidatos com posição inferior.",
    "{count} more candidates ranked lower.",
  ],
  [
    "{count} recent messages did not fit the budget",
    {
      one: "{count} mensagem recente não coube no orçamento.",
      other: "{count} mensagens recentes não couberam no orçamento.",
    },
    {
      one: "{count} recent message did not fit the budget.",
      other: "{count} recent messages did not fit the budget.",
    },
  ],
  [
    "{count} earlier summaries did not fit the budget",
    {
      one: "{count} resumo anterior não coube no orçamento.",
      other: "{count} resumos anteriores não couberam no orçamento.",
    },
    {
      one: "{count} earlier summary did not fit the budget.",
      other: "{count} earlier summaries did not fit the budget.",
    },
  ],
  [
    "{count} new passages: not embedded yet, searched by words only",
    {
      one: "{count} trecho novo ainda sem embedding: buscado só por palavras-chave.",
      other: "{count} trechos novos ainda sem embedding: buscados só por palavras-chave.",
    },
    {
      one: "{count} new passage has no embedding yet: keyword search only.",
      other: "{count} new passages have no embedding yet: keyword search only.",
    },
  ],
  ["profile: {why}", "Perfil: {why}", "Profile: {why}"],
  ["session summary: {why}", "Resumo da sessão: {why}", "Session summary: {why}"],
  ["context file {name}: {why}", "{name}: {why}", "{name}: {why}"],

  // Degraded operation.
  ["lexical only: {why}", "Só busca por palavras-chave: {why}", "Keyword search only: {why}"],
  ["dense only: {why}", "Só busca semântica: {why}", "Semantic search only: {why}"],
  ["recalled passages only: {why}", "Só memórias recuperadas: {why}", "Recalled passages only: {why}"],
  ["dense search took longer than {milliseconds} ms", "a busca semântica levou mais de {milliseconds} ms"],
  ["the rest took longer than {milliseconds} ms", "o resto levou mais de {milliseconds} ms"],
  [
    "recall took longer than {milliseconds} ms, so nothing was recalled",
    "A busca levou mais de {milliseconds} ms, e nada foi recuperado.",
    "Recall took longer than {milliseconds} ms, so nothing was recalled.",
  ],
  [
    "this receipt was not stored: {why}",
    "Este recibo não pôde ser armazenado: {why}",
    "This receipt could not be stored: {why}",
  ],
  [
    "no embedder is configured",
    "nenhum modelo de embeddings configurado",
    "no embedding model is configured",
  ],
  ["not reranked: {why}", "Reranker não executado: {why}", "Reranker skipped: {why}"],
  [
    "{some} of {most} not reranked within {time} ms",
    "O reranker não processou {some} de {most} trechos em {time} ms.",
    "The reranker did not reach {some} of {most} passages within {time} ms.",
  ],

  // Reasons why a memory is in review, archived or rejected.
  ["not in the message: {words}", "Não consta na mensagem: {words}", "Not found in the message: {words}"],
  [
    "only quoted or pasted text says so",
    "Só aparece em texto citado ou colado.",
    "Found only in quoted or pasted text.",
  ],
  ["the message says the opposite", "A mensagem diz o contrário.", "The message says the opposite."],
  [
    "it says nothing that can be checked",
    "Não contém nada que possa ser verificado.",
    "Contains nothing that can be verified.",
  ],
  ["longer than {most} characters", "Contém mais de um fato.", "Contains more than one fact."],
  ["more than two sentences", "Contém mais de um fato.", "Contains more than one fact."],
  [
    "it tells the assistant to ignore its instructions",
    "Pede ao assistente que ignore suas instruções.",
    "Tells the assistant to ignore its instructions.",
  ],
  ["contradicts {text}", "contradiz {text}"],
  ["superseded by {text}", "substituída por {text}"],
  ["merged into {text}", "mesclada em {text}"],
  ["by the user", "por você", "by you"],
  ["rejected by the user", "rejeitada por você", "rejected by you"],
  ["undid {action}", "desfeito: {action}", "undone: {action}"],
  ["a source message was changed", "uma mensagem de origem foi alterada", "a source message was changed"],
  ["expired on {day}", "validade expirada em {day}", "expired on {day}"],
  ["the goal was due on {day}", "o prazo do objetivo era {day}", "the goal was due on {day}"],
  ["temporary, {days} days: {why}", "temporária, {days} dias: {why}", "temporary, {days} days: {why}"],
  ["weight below {floor}: {why}", "peso abaixo de {floor}: {why}", "weight below {floor}: {why}"],
  ["last mentioned on {day}", "última menção em {day}", "last mentioned on {day}"],
  ["already learned from this text", "já aprendida deste texto", "already learned from this text"],
  [
    "forgotten after it was mentioned",
    "foi esquecida depois de mencionada",
    "forgotten after it was mentioned",
  ],
  [
    "the assistant repeated a known memory",
    "o assistente repetiu uma memória existente",
    "the assistant repeated an existing memory",
  ],
  ["already in the file {name}", "já está no arquivo {name}", "already in the file {name}"],
  [
    "no consent for memories of the kind {kind}",
    "sem consentimento para memórias do tipo “{kind}”",
    "no consent for memories of type “{kind}”",
  ],
  ["could not be stored: {why}", "não pôde ser armazenada: {why}"],

  // Problem texts, one sentence per row.
  ["Recollect failed.", "Ocorreu um erro no Recollect."],
  ["This is the base class of all its errors.", "Esta é a classe base de todos os erros."],
  ["The input is invalid.", "A entrada é inválida."],
  ["Correct it and try again.", "Corrija-a e tente novamente."],
  ["The text is empty.", "O texto está vazio."],
  ["Give at least one visible character.", "Informe pelo menos um caractere visível."],
  ["The text exceeds the maximum size of a message.", "O texto excede o tamanho máximo de uma mensagem."],
  [
    "The text has {size} bytes of UTF-8; the limit for one message is {most}.",
    "O texto tem {size} bytes em UTF-8, e o máximo por mensagem é {most}.",
  ],
  ["Split it, or raise `collect.max_message_bytes`.", "Divida-o ou aumente `collect.max_message_bytes`."],
  [
    "Split it into several messages, or raise collect.max_message_bytes.",
    "Divida-o em várias mensagens ou aumente collect.max_message_bytes.",
  ],
  ["The role is unknown.", "Papel desconhecido."],
  ["Use user, assistant, system or tool.", "Use user, assistant, system ou tool."],
  ["Not found for this user.", "Item não encontrado para este usuário."],
  ["There is no memory {id} for this user.", "Memória {id} não encontrada para este usuário."],
  ["There is no message {id} for this user.", "Mensagem {id} não encontrada para este usuário."],
  ["There is no chat {id} for this user.", "Chat {id} não encontrado para este usuário."],
  ["There is no receipt {id} for this user.", "Recibo {id} não encontrado para este usuário."],
  ["There is no event {id} for this user.", "Evento {id} não encontrado para este usuário."],
  ["Each recall leaves one.", "Cada consulta gera um."],
  ["`recollect list` shows what there is.", "`recollect list` mostra o que existe."],
  ["`recollect list` shows the user's memories.", "`recollect list` mostra as memórias do usuário."],
  ["`recollect chats` lists them.", "`recollect chats` lista os existentes."],
  ["The operation is not allowed in the current state.", "A operação não é permitida no estado atual."],
  ["The message says what is required.", "A mensagem informa o que é necessário."],
  [
    "The user has not consented to this.",
    "Esta operação exige o consentimento do usuário, que não foi concedido.",
  ],
  [
    "Record their consent first with `recollect consent`.",
    "Registre primeiro o consentimento com `recollect consent`.",
  ],
  [
    "The profile is stored only with consent, which has not been given.",
    "O perfil só é armazenado com consentimento, que não foi concedido.",
  ],
  ["Ask the user for it first.", "Solicite-o primeiro ao usuário."],
  ["A setting is invalid.", "Uma configuração é inválida."],
  [
    "`recollect settings` shows each value and its source.",
    "`recollect settings` mostra cada valor e sua origem.",
  ],
  ["Memory {id} already states the same.", "A memória {id} já diz o mesmo."],
  ["Forget one of the two instead.", "Em vez disso, esqueça uma das duas."],
  [
    "Memory {id} is {status}: there is nothing to restore.",
    "O status da memória {id} é “{status}”: não há o que restaurar.",
  ],
  [
    "Memory {id} was changed after this {action}.",
    "A memória {id} foi alterada depois desta ação ({action}).",
  ],
  [
    "Undo the later change first: `recollect undo --list` shows it.",
    "Desfaça primeiro a alteração posterior: `recollect undo --list` mostra qual é.",
  ],
  [
    "Memory {id} was changed in the meantime: it is at version {found}, not {version}.",
    "A memória {id} foi alterada nesse meio-tempo: está na versão {found}, não na {version}.",
  ],
  ["Read it again and repeat the change.", "Recarregue-a e repita a alteração."],
  ["There is nothing to undo.", "Não há nada para desfazer."],
  ["Event {id} is already undone.", "O evento {id} já foi desfeito."],
  [
    "A merge needs at least two different memories.",
    "São necessárias pelo menos duas memórias para mesclar.",
  ],
  ["Chat {id} has no question to answer.", "O chat {id} não tem nenhuma pergunta para responder."],
  ["Send a message first.", "Envie uma mensagem primeiro."],
  ["Chat {id} already exists.", "O chat {id} já existe."],
  ["Choose another name for the branch.", "Escolha outro nome para a ramificação."],
  ["There is a context file {name} already.", "O arquivo {name} já existe."],
  ["Delete it first, or rename one.", "Exclua-o primeiro ou renomeie um deles."],
  ["{most} answers are already running.", "Já há {most} respostas em andamento."],
  ["Try again in a moment.", "Tente novamente em instantes."],
  ["Too many requests within a minute.", "Requisições demais em um minuto."],
  ["Wait a minute and try again.", "Aguarde um minuto e tente novamente."],
  ["You are not logged in.", "Você não está conectado."],
  ["`recollect up` prints a login link.", "`recollect up` mostra um link de acesso."],
  ["This operation affects the whole server.", "Esta operação afeta o servidor inteiro."],
  ["Use an admin's token.", "Use o token de um administrador."],
  ["Unexpected error in recollect.", "Erro inesperado no Recollect."],
  [
    "The server log has the details under the request id.",
    "Os detalhes estão no log do servidor, com o ID da requisição.",
  ],
  ["The database failed.", "Ocorreu uma falha no banco de dados."],
  ["Run `recollect doctor` to find the cause.", "Execute `recollect doctor` para encontrar a causa."],
  ["The memory file is locked by another process.", "O banco de dados está bloqueado por outro processo."],
  ["The disk is full.", "O disco está cheio."],
  ["The disk is full, and the change was rolled back.", "O disco está cheio e a alteração foi desfeita."],
  ["Free some space and try again.", "Libere espaço e tente novamente."],
  [
    "The memory file or its folder is not writable.",
    "Não é possível gravar no banco de dados ou em sua pasta.",
  ],
  [
    "Check permissions, or choose another file with --db.",
    "Verifique as permissões ou escolha outro arquivo com --db.",
  ],
  [
    "The memory file was deleted, moved or replaced while open.",
    "O banco de dados foi excluído, movido ou substituído enquanto estava aberto.",
  ],
  ["Save its contents with `Memory.backup`.", "Salve o conteúdo com `Memory.backup`."],
  [
    "The file is not a recollect database and was not changed.",
    "O arquivo não é um banco de dados do Recollect e não foi alterado.",
  ],
  ["Choose another file with --db.", "Escolha outro arquivo com --db."],
  [
    "The file was written by a newer version and was not changed.",
    "O arquivo foi gravado por uma versão mais nova e não foi alterado.",
  ],
  ["Upgrade recollect.", "Atualize o Recollect."],
  [
    "A version before 0.1 wrote the file; it was not changed.",
    "Uma versão anterior à 0.1 gravou o arquivo; ele não foi alterado.",
  ],
  ["Export it with that version, and import it here.", "Exporte-o com essa versão e importe-o aqui."],
  ["The file is damaged.", "O arquivo está corrompido."],
  [
    "`recollect doctor` shows where; `recollect repair` rebuilds derived data.",
    "`recollect doctor` mostra onde; `recollect repair` reconstrói os dados derivados.",
  ],
  [
    "An embedder or a language model failed.",
    "Ocorreu uma falha em um modelo de embeddings ou de linguagem.",
  ],
  ["The message says why.", "A mensagem informa o motivo."],
  ["The provider is busy or unreachable.", "O provedor está ocupado ou inacessível."],
  ["The job stays queued and is retried.", "A tarefa continua na fila e será repetida."],
  [
    "The model's files or package are not installed.",
    "Os arquivos ou o pacote do modelo não estão instalados.",
  ],
  ["`recollect doctor` says what to install.", "`recollect doctor` mostra o que instalar."],
  [
    "The model's reply could not be parsed, so nothing was learned.",
    "Não foi possível interpretar a resposta do modelo; nada foi aprendido.",
  ],
  ["Retry the job, or choose another model.", "Repita a tarefa ou escolha outro modelo."],
  ["The call would exceed a token cap.", "A chamada excederia o limite de tokens do modelo de linguagem."],
  [
    "Asking the language model would cost more than is allowed.",
    "A chamada ao modelo de linguagem excederia o limite de custo.",
  ],
  [
    "Raise `spending.max_tokens_per_day` or `spending.max_tokens_per_chat`.",
    "Aumente `spending.max_tokens_per_day` ou `spending.max_tokens_per_chat`.",
  ],
  ["No language model is available.", "Nenhum modelo de linguagem disponível."],
  ["Configure one, or extract with the rules.", "Configure um ou use a extração por regras."],
  [
    "The model {name} at {host} did not answer within {seconds} s.",
    "O modelo {name} em {host} não respondeu em {seconds} s.",
  ],
  [
    "The model {name} at {host} did not finish within {seconds} s.",
    "O modelo {name} em {host} não terminou em {seconds} s.",
  ],
  [
    "The model {name} at {host} cannot be reached, or broke off ({error}).",
    "O modelo {name} em {host} está inacessível ou interrompeu a conexão ({error}).",
  ],
  [
    "The model {name} at {host} answered in a way that cannot be read ({error}).",
    "A resposta do modelo {name} em {host} é inválida ({error}).",
  ],
  ["The model {name} at {host} answered HTTP {error}.", "O modelo {name} em {host} respondeu HTTP {error}."],
  [
    "The embedder at {host} did not answer within {seconds} s.",
    "O modelo de embeddings em {host} não respondeu em {seconds} s.",
  ],
  [
    "The embedder at {host} did not finish within {seconds} s.",
    "O modelo de embeddings em {host} não terminou em {seconds} s.",
  ],
  [
    "The embedder at {host} cannot be reached ({error}).",
    "O modelo de embeddings em {host} está inacessível ({error}).",
  ],
  [
    "The embedder at {host} answered in a way that cannot be read ({error}).",
    "A resposta do modelo de embeddings em {host} é inválida ({error}).",
  ],
  [
    "The embedder at {host} answered HTTP {error}.",
    "O modelo de embeddings em {host} respondeu HTTP {error}.",
  ],
  [
    "Check that it runs; the work stays queued and is tried again.",
    "Verifique se está em execução; a tarefa continua na fila e será repetida.",
  ],
  ["The work stays queued; try again later.", "A tarefa continua na fila; tente novamente mais tarde."],
  [
    "The work stays queued; try again in {seconds} s.",
    "A tarefa continua na fila; tente novamente em {seconds} s.",
  ],
  ["It does not accept the key.", "A chave não foi aceita."],
  ["Check the model's API key.", "Verifique a chave de API do modelo."],
  ["Check the embedder's API key.", "Verifique a chave de API do modelo de embeddings."],
  ["Redirects are not followed.", "Redirecionamentos não são seguidos."],
  ["Set base_url to the final address.", "Defina base_url como o endereço final."],
  ["Check base_url.", "Verifique base_url."],
  [
    "Check base_url and that the model {name} exists there.",
    "Verifique base_url e se o modelo {name} existe nesse endereço.",
  ],
  [
    "Check base_url (usually it ends in /v1) and that the model {name} exists there.",
    "Verifique base_url (geralmente termina em /v1) e se o modelo {name} existe nesse endereço.",
  ],
  // A failed job's reason starts with the exception's class name.
  ["{class}: {why}", "{class}: {why}"],
];

const PORTUGUESE_ACTIONS: Record<string, string> = {
  forget: "esquecer",
  edit: "editar",
  merge: "mesclar",
  archive: "arquivar",
  learn: "aprender",
  supersede: "substituir",
  pin: "fixar",
  restore: "restaurar",
  accept: "aceitar",
  undo: "desfazer",
};
const KIND_PATTERN = "biography|preference|emotion|goal|event|decision|note";
const NUMBER_PLACEHOLDERS = [
  "near",
  "least",
  "share",
  "rank",
  "most",
  "needs",
  "left",
  "count",
  "some",
  "time",
  "days",
  "floor",
  "size",
  "seconds",
  "found",
  "version",
];
const NUMBER: PlaceholderSpec = [
  "-?\\d+(?:,\\d{3})*(?:\\.\\d+)?",
  (text) => Number(text.replaceAll(",", "")),
];
const ANY_TEXT: PlaceholderSpec = [".+?", (text) => text];
const kindName = (name: string) => common(`kind.${name as "biography"}`);

const PLACEHOLDERS: Record<string, PlaceholderSpec> = {
  ...Object.fromEntries(NUMBER_PLACEHOLDERS.map((name) => [name, NUMBER])),
  // A file name may contain a colon, so match it greedily; the reason after it contains none.
  name: [".+", (text) => text],
  why: [".+?", translateServerMessage],
  ordinal: ["\\d+(?:st|nd|rd|th)", (text) => (language.current === "pt" ? `${parseInt(text, 10)}º` : text)],
  class: ["[A-Z]\\w+", (text) => text],
  day: [
    "\\d{4}-\\d\\d-\\d\\d",
    (text) => (language.current === "pt" ? text.split("-").reverse().join("/") : text),
  ],
  action: [
    Object.keys(PORTUGUESE_ACTIONS).join("|"),
    (name) => (language.current === "pt" ? PORTUGUESE_ACTIONS[name] : undefined) ?? name,
  ],
  kind: [KIND_PATTERN, kindName],
  category: [
    `profile|${KIND_PATTERN}`,
    (name) => (name === "profile" ? common("source.profile") : kindName(name)),
  ],
  status: [
    "active|quarantined|contested|superseded|archived|forgotten",
    (name) => common(`status.${name as "active"}`),
  ],
  mode: ["on|collect_only|recall_only|off", (name) => common(`mode.${name as "on"}`)],
};
const placeholder = (name: string): PlaceholderSpec => PLACEHOLDERS[name] ?? ANY_TEXT;

/** Compile a server text to a regular expression with a named group for each placeholder. */
function toRegExp(server: string): RegExp {
  const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
  const parts = server
    .split(/\{(\w+)\}/)
    .map((part, at) => (at % 2 ? `(?<${part}>${placeholder(part)[0]})` : literal(part)));
  return new RegExp(`^${parts.join("")}$`, "s");
}

const COMPILED_MESSAGES = SERVER_MESSAGES.map(([server, pt, en]) => ({ pattern: toRegExp(server), pt, en }));

/** Translate a server text as a whole, or else sentence by sentence. */
export function translateServerMessage(text: string): string {
  return (
    translateExact(text) ??
    text.replace(SENTENCE_PATTERN, (part) =>
      part.replace(/\S.*\S/s, (sentence) => translateExact(sentence) ?? sentence),
    )
  );
}

function translateExact(text: string): string | undefined {
  for (const { pattern, pt, en } of COMPILED_MESSAGES) {
    const match = pattern.exec(text);
    if (!match) continue;
    const message = language.current === "pt" ? pt : en;
    const values = Object.entries(match.groups ?? {}).map(([name, value]) => [
      name,
      placeholder(name)[1](value),
    ]);
    return message === undefined
      ? text
      : formatMessage(message, Object.fromEntries(values), language.current);
  }
  return undefined;
}

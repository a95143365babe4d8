/** Portuguese translations of the sentences of errors. Sentences that are not in the table are shown unchanged. */

import { SENTENCE_PATTERN } from "../api/problem";
import { t as common } from "./common";
import { language } from "./language.svelte";
import { compileTable, NUMBER, type PlaceholderSpec } from "./sentence-table";

/** The first match wins. tests/web compares the first column with the server's errors. */
export const PROBLEM_MESSAGES: readonly (readonly [english: string, portuguese: string])[] = [
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
  ["`recollect memories list` shows what there is.", "`recollect memories list` mostra o que existe."],
  [
    "`recollect memories list` shows the user's memories.",
    "`recollect memories list` mostra as memórias do usuário.",
  ],
  ["`recollect chats` lists them.", "`recollect chats` lista os existentes."],
  ["The operation is not allowed in the current state.", "A operação não é permitida no estado atual."],
  ["The message says what is required.", "A mensagem informa o que é necessário."],
  [
    "The user has not consented to this.",
    "Esta operação exige o consentimento do usuário, que não foi concedido.",
  ],
  [
    "Record their consent first with `recollect privacy consent`.",
    "Registre primeiro o consentimento com `recollect privacy consent`.",
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
    "Undo the later change first: `recollect memories events` shows it.",
    "Desfaça primeiro a alteração posterior: `recollect memories events` mostra qual é.",
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
  [
    "The database is locked by another process or cannot be reached.",
    "O banco de dados está bloqueado por outro processo ou inacessível.",
  ],
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
  [
    "Save its contents with `memory.maintenance.backup`.",
    "Salve o conteúdo com `memory.maintenance.backup`.",
  ],
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
    "`recollect doctor` shows where; `recollect maintenance repair` rebuilds derived data.",
    "`recollect doctor` mostra onde; `recollect maintenance repair` reconstrói os dados derivados.",
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
  ["Nothing here can be imported ({reasons}).", "Não há nada aqui que possa ser importado ({reasons})."],
  [
    "Supported are {formats}, and packs of Recollect.",
    "Formatos aceitos: {formats} e exportações do Recollect.",
  ],
  ["The body is empty.", "O arquivo está vazio."],
  ["Send the file to import as the body.", "Envie o arquivo a importar."],
  [
    "{name} is damaged or encrypted and cannot be read ({detail}).",
    "{name} está corrompido ou criptografado e não pode ser lido ({detail}).",
  ],
  ["Download it again.", "Baixe-o novamente."],
  ["{name} is a database inside an archive.", "{name} é um banco de dados dentro de um arquivo compactado."],
  ["Unpack it first.", "Descompacte-o primeiro."],
  ["Memory is {mode}, so nothing is imported.", "A memória está em “{mode}”, então nada é importado."],
  ["Turn it on first.", "Ative-a primeiro."],
  ["The body is larger than {size} bytes.", "O arquivo tem mais de {size} bytes."],
  ["Send it in parts.", "Envie-o em partes."],
  ["{path} was changed just now by another program.", "{path} acaba de ser alterado por outro programa."],
  ["{path}: {place} has another form than expected.", "{path}: {place} não tem o formato esperado."],
  ["Add the entry by hand.", "Adicione a entrada manualmente."],
  ["{path}: There is another entry {entry} already.", "{path}: já existe outra entrada {entry}."],
  ["Remove it first, or keep it.", "Remova-a primeiro ou mantenha-a."],
  ["Cannot write {path}: {detail}.", "Não é possível gravar {path}: {detail}."],
  ["Check its permissions.", "Verifique as permissões."],
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
const PORTUGUESE_FORMATS: Record<string, string> = {
  "MCP memory server": "servidor de memória MCP",
  "Markdown of Recollect": "Markdown do Recollect",
  "a list of statements": "lista de afirmações",
  "compact JSON of Recollect": "JSON compacto do Recollect",
  "chat messages as JSON": "mensagens de chat em JSON",
};
const PORTUGUESE_REASONS: readonly (readonly [english: RegExp, portuguese: string])[] = [
  [/there is no file of a known kind/, "nenhum arquivo é de um tipo conhecido"],
  [/truncated at element (\d+): [^;]*/g, "o arquivo termina cedo demais, no elemento $1"],
  [/malformed_json at element (\d+): [^;]*/g, "JSON inválido no elemento $1"],
];
const PLACEHOLDERS: Record<string, PlaceholderSpec> = {
  most: NUMBER,
  size: NUMBER,
  seconds: NUMBER,
  found: NUMBER,
  reasons: [
    ".+",
    (text) =>
      PORTUGUESE_REASONS.reduce((part, [english, portuguese]) => part.replace(english, portuguese), text),
  ],
  formats: [
    ".+",
    (names) =>
      names
        .split(", ")
        .map((name) => PORTUGUESE_FORMATS[name] ?? name)
        .join(", "),
  ],
  version: NUMBER,
  action: [Object.keys(PORTUGUESE_ACTIONS).join("|"), (name) => PORTUGUESE_ACTIONS[name] ?? name],
  status: [
    "active|quarantined|contested|superseded|archived|forgotten",
    (name) => common(`status.${name as "active"}`),
  ],
};
const translateSentence = compileTable(PROBLEM_MESSAGES, PLACEHOLDERS);

/** Translate the text of an error as a whole, or else sentence by sentence. */
export function translateProblem(text: string): string {
  if (language.current === "en") return text;
  return (
    translateSentence(text) ??
    text.replace(SENTENCE_PATTERN, (part) =>
      part.replace(/\S.*\S/s, (sentence) => translateSentence(sentence) ?? sentence),
    )
  );
}

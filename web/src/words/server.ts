/** What the server says in English, in the language of now: `told("by the user")`. What is not in the table stays as it is. */

import { SENTENCE } from "../api/problem";
import { say as common } from "./common";
import { language } from "./language.svelte";
import { filled, type Message } from "./speak";

/** How the server says it, in Portuguese, and in English where the server is too terse for a page. */
type Row = readonly [server: string, portuguese: Message, english?: Message];
type Hole = readonly [pattern: string, read: (text: string) => string | number];

const BUDGET = ["Sem espaço no orçamento: precisa de {needs} tokens, restavam {left}.", "No room in the budget: it needs {needs} tokens, {left} were left."] as const;
const MOST = ["Só {most} desse tipo seguem adiante.", "Only {most} of its sort are handed on."] as const;
const LONG = ["É mais de um fato.", "It is more than one fact."] as const;

/** The first that fits counts. A test reads the first column and holds it against what the server says. */
export const TABLE: readonly Row[] = [
  // Why something was left out.
  ["cosine {near} is below {least}", "Longe demais da pergunta em sentido: {near}; pede-se ao menos {least}.", "Too far from the question in meaning: {near}, at least {least} is asked for."],
  ["below {share}% of the best score", "Teve menos de {share} % dos pontos da melhor.", "Scored less than {share} % of the best one."],
  ["rank {rank}, only {most} are handed on", "Ficou em {rank}º lugar; só {most} seguem adiante.", "Came in at place {rank}; only {most} are handed on."],
  ["only {most} facts are handed on", ...MOST],
  ["only {most} messages are handed on", ...MOST],
  ["over budget (needs {needs}, {left} left)", ...BUDGET],
  ["after the first passage over budget", "Algo antes dela já passou do orçamento.", "Something before it already went over the budget."],
  ["no visible text", "Não há texto visível nela.", "There is no visible text in it."],
  ["only beside one that was found", "Só está ao lado de algo que foi achado.", "It only stands beside something that was found."],
  ["covered by its chunk", "Uma parte da mesma mensagem já o diz.", "A part of the same message says it already."],
  ["a memory says the same", "Uma memória diz o mesmo.", "A memory says the same."],
  ["already in the conversation", "Já está na conversa.", "It is already in the conversation."],
  ["injected a moment ago", "Foi posta diante do modelo há um momento.", "It was put before the model a moment ago."],
  ["the profile is shown whole", "O perfil é mostrado inteiro.", "The whole profile is shown."],
  ["its file is shown whole", "O arquivo é mostrado inteiro.", "Its whole file is shown."],
  ["same text as {source} {id}", "Algo com as mesmas palavras é mostrado.", "Something with the same words is shown."],
  ["nothing: it is recalled", "Nada depõe contra ela: é lembrada.", "Nothing stands against it: it is recalled."],
  ["not among the {most} best of either channel", "Nem por sentido nem por palavras está entre as {most} mais próximas.", "Neither by meaning nor by words is it among the {most} nearest."],
  ["it is {standing}", "Não está em uso: {standing}.", "It is not in use: {standing}."],
  ["it is {standing}: {why}", "Não está em uso ({standing}): {why}", "It is not in use ({standing}): {why}"],

  // What was not asked, or had no room.
  ["everything: memory is {mode} here", "Tudo: aqui está em “{mode}”.", "Everything: here it is “{mode}”."],
  ["{category}: no consent", "{category}: você não consentiu.", "{category}: you did not agree to it."],
  ["{count} more candidates, further down", "Mais {count}, abaixo.", "{count} more, further down."],
  ["no room for {count} recent messages", { one: "Sem espaço para {count} mensagem recente.", other: "Sem espaço para {count} mensagens recentes." }, { one: "No room for {count} recent message.", other: "No room for {count} recent messages." }],
  ["no room for {count} earlier summaries", { one: "Sem espaço para {count} resumo anterior.", other: "Sem espaço para {count} resumos anteriores." }, { one: "No room for {count} earlier summary.", other: "No room for {count} earlier summaries." }],
  ["profile: {why}", "Perfil: {why}", "Profile: {why}"],
  ["session summary: {why}", "Resumo: {why}", "Summary: {why}"],
  ["context file {name}: {why}", "{name}: {why}", "{name}: {why}"],

  // What did not work.
  ["lexical only: {why}", "Busca só por palavras: {why}", "Searched by words only: {why}"],
  ["dense only: {why}", "Busca só por sentido: {why}", "Searched by meaning only: {why}"],
  ["recollections only: {why}", "Só lembranças: {why}", "Recollections only: {why}"],
  ["this receipt is not kept: {why}", "Este recibo não pôde ser guardado: {why}", "This receipt could not be kept: {why}"],
  ["no embedder is configured", "nenhum vetorizador está configurado"],
  ["not read again: {why}", "Sem segunda leitura: {why}", "Not read a second time: {why}"],
  ["{some} of {most} not read again in {time} ms", "{some} de {most} ficaram sem segunda leitura em {time} ms.", "{some} of {most} were not read a second time within {time} ms."],

  // Why a memory waits, was put away, or was not kept.
  ["not in the message: {words}", "Estas palavras não estão na mensagem: {words}", "These words are not in the message: {words}"],
  ["the message says the opposite", "A mensagem diz o contrário.", "The message says the opposite."],
  [
    "only quoted or pasted text says so",
    "Só um texto citado ou colado diz isso.",
    "Only quoted or pasted text says so.",
  ],
  ["it says nothing that can be checked", "Não diz nada que se possa conferir.", "It says nothing that can be checked."],
  ["longer than {most} characters", ...LONG],
  ["more than two sentences", ...LONG],
  ["it tells the assistant to drop its instructions", "Manda o assistente largar suas instruções.", "It tells the assistant to drop its instructions."],
  ["contradicts {text}", "contradiz {text}"],
  ["superseded by {text}", "substituída por {text}"],
  ["merged into {text}", "juntada a {text}"],
  ["by the user", "por decisão sua"],
  ["not wanted by the user", "você não a quis"],
  ["undid {action}", "desfez: {action}"],
  ["a message it rests on was changed", "uma mensagem em que se apoia foi alterada"],
  ["it was to be kept until {day}", "era para ser guardada até {day}"],
  ["the goal was for {day}", "o objetivo era para {day}"],
  ["temporary, {days} days: {why}", "temporária, {days} dias: {why}"],
  ["weight under {floor}: {why}", "peso abaixo de {floor}: {why}"],
  ["last said on {day}", "dita pela última vez em {day}"],
  ["already learned from these words", "já aprendida destas palavras"],
  ["it was forgotten after it was said", "foi esquecida depois de dita"],
  ["the assistant repeats what is known", "o assistente repete o que já se sabe"],
  ["it stands in the file {name}", "está no arquivo {name}"],
  ["the user does not want memories of the kind {kind}", "você não quer memórias do tipo “{kind}”"],
  ["it could not be stored: {why}", "não pôde ser guardada: {why}"],

  // Problems, sentence by sentence.
  ["Something in recollect went wrong.", "Algo deu errado no Recollect."],
  ["The input cannot be stored or understood.", "O que foi dado não pode ser guardado nem entendido."],
  ["Change it and try again.", "Mude-o e tente de novo."],
  ["There is no text to store.", "Não há texto para guardar."],
  ["Give at least one visible character.", "Dê ao menos um caractere visível."],
  ["The text is larger than one message may be.", "O texto é maior do que uma mensagem pode ser."],
  ["The text has {size} bytes of UTF-8, and one message may have {most}.", "O texto tem {size} bytes em UTF-8, e uma mensagem pode ter {most}."],
  ["Split it and try again.", "Divida-o e tente de novo."],
  ["Split it into several messages, or raise collect.max_message_bytes.", "Divida-o em várias mensagens ou aumente collect.max_message_bytes."],
  ["Nobody speaks in that role.", "Ninguém fala nesse papel."],
  ["Use user, assistant, system or tool.", "Use user, assistant, system ou tool."],
  ["There is no such thing for this user.", "Não há tal coisa para este usuário."],
  ["There is no memory {id} for this user.", "Não há memória {id} para este usuário."],
  ["There is no message {id} for this user.", "Não há mensagem {id} para este usuário."],
  ["There is no chat {id} for this user.", "Não há conversa {id} para este usuário."],
  ["There is no receipt {id} for this user.", "Não há recibo {id} para este usuário."],
  ["There is no event {id} for this user.", "Não há evento {id} para este usuário."],
  ["Each recall leaves one.", "Cada lembrança deixa um."],
  ["`recollect list` shows what there is.", "`recollect list` mostra o que há."],
  ["`recollect chats` lists them.", "`recollect chats` as lista."],
  ["This was refused on purpose.", "Isto foi recusado de propósito."],
  ["The message says what would be needed.", "A mensagem diz o que seria preciso."],
  ["The user has not agreed to this, and it is done only with their consent.", "O usuário não concordou com isto, e só se faz com seu consentimento."],
  ["The profile is kept only with consent, and it has not been given.", "O perfil só é guardado com consentimento, que não foi dado."],
  ["Ask the user for it first.", "Peça-o antes ao usuário."],
  ["The settings do not make sense.", "As configurações não fazem sentido."],
  ["`recollect settings` shows each value and its source.", "`recollect settings` mostra cada valor e de onde vem."],
  ["Memory {id} says the same already.", "A memória {id} já diz o mesmo."],
  ["Forget one of the two instead.", "Em vez disso, esqueça uma das duas."],
  ["Memory {id} is {standing}: there is nothing to bring back.", "A memória {id} está em “{standing}”: não há o que trazer de volta."],
  ["Memory {id} was changed after this {action}.", "A memória {id} foi alterada depois disto ({action})."],
  ["Undo the later change first: `recollect undo --list` shows it.", "Desfaça antes a alteração posterior: `recollect undo --list` a mostra."],
  ["Memory {id} was changed meanwhile: it is at version {found}, not {version}.", "A memória {id} foi alterada enquanto isso: está na versão {found}, não na {version}."],
  ["Read it again and repeat the change.", "Leia-a de novo e repita a alteração."],
  ["There is nothing to undo.", "Não há nada a desfazer."],
  ["Event {id} was undone already.", "O evento {id} já foi desfeito."],
  ["It takes at least two memories to make one of them.", "São precisas ao menos duas memórias para juntá-las em uma."],
  ["Nothing was asked in chat {id} yet, so there is nothing to answer.", "Nada foi perguntado ainda na conversa {id}; não há o que responder."],
  ["There is a chat {id} already.", "Já há uma conversa {id}."],
  ["Choose another name for the branch.", "Escolha outro nome para o ramo."],
  ["There is a context file {name} already.", "Já há um arquivo {name}."],
  ["Delete it first, or rename one.", "Exclua-o antes ou mude o nome de um deles."],
  ["{most} answers are under way already.", "{most} respostas já estão a caminho."],
  ["Try again in a moment.", "Tente de novo daqui a pouco."],
  ["Too many requests in a minute.", "Pedidos demais em um minuto."],
  ["Wait a little.", "Espere um pouco."],
  ["Nobody is logged in here.", "Ninguém entrou aqui."],
  ["`recollect up` prints a link.", "`recollect up` mostra um link."],
  ["This is about the whole machine.", "Isto diz respeito à máquina inteira."],
  ["Ask with an admin's token.", "Peça com o token de um administrador."],
  ["This is a mistake in recollect.", "Isto é um erro do Recollect."],
  ["The log has the details under the request's id.", "O registro tem os detalhes sob o id do pedido."],
  ["The database said no.", "O banco de dados recusou."],
  ["`recollect doctor` looks for the reason.", "`recollect doctor` procura a causa."],
  ["Another process holds the file.", "Outro processo está com o arquivo."],
  ["The disk is full.", "O disco está cheio."],
  ["Nothing was half written; free some space and try again.", "Nada ficou pela metade; libere espaço e tente de novo."],
  ["The memory file or its folder cannot be written.", "Não se pode escrever no arquivo da memória ou em sua pasta."],
  ["Check permissions, or choose another file with --db.", "Confira as permissões ou escolha outro arquivo com --db."],
  ["The file is not a recollect memory.", "O arquivo não é uma memória do Recollect."],
  ["Choose another file with --db; this one was left as it was.", "Escolha outro arquivo com --db; este ficou como estava."],
  ["The file was written by a newer recollect.", "O arquivo foi escrito por um Recollect mais novo."],
  ["Upgrade recollect; the file was left as it was.", "Atualize o Recollect; o arquivo ficou como estava."],
  ["The file is damaged.", "O arquivo está danificado."],
  ["`recollect doctor` says where, `recollect repair` rebuilds what can be rebuilt.", "`recollect doctor` diz onde, `recollect repair` reconstrói o que se pode reconstruir."],
  ["An embedder or a language model said no.", "Um vetorizador ou um modelo de linguagem recusou."],
  ["The provider is busy or cannot be reached.", "O provedor está ocupado ou fora de alcance."],
  ["The work stays queued and is tried again.", "O trabalho fica na fila e é tentado de novo."],
  ["The model's files or package are not here.", "Os arquivos ou o pacote do modelo não estão aqui."],
  ["`recollect doctor` says what to install.", "`recollect doctor` diz o que instalar."],
  ["The model's answer could not be read.", "A resposta do modelo não pôde ser lida."],
  ["Nothing was learned; retry the job, or choose another model.", "Nada foi aprendido; repita o trabalho ou escolha outro modelo."],
  ["Asking the language model would cost more than is allowed.", "Perguntar ao modelo de linguagem custaria mais do que é permitido."],
  ["Raise `spending.max_tokens_per_day` or `spending.max_tokens_per_chat`.", "Aumente `spending.max_tokens_per_day` ou `spending.max_tokens_per_chat`."],
  ["No language model is available.", "Nenhum modelo de linguagem está disponível."],
  ["Set one, or let the rules judge.", "Configure um ou deixe as regras julgarem."],
  ["The model {name} at {host} did not answer within {seconds} s.", "O modelo {name} em {host} não respondeu em {seconds} s."],
  ["The model {name} at {host} did not finish within {seconds} s.", "O modelo {name} em {host} não terminou em {seconds} s."],
  ["The model {name} at {host} cannot be reached, or broke off ({error}).", "O modelo {name} em {host} está fora de alcance ou interrompeu a conexão ({error})."],
  ["The model {name} at {host} answered in a way that cannot be read ({error}).", "O modelo {name} em {host} respondeu de um modo que não se pode ler ({error})."],
  ["The model {name} at {host} answered HTTP {error}.", "O modelo {name} em {host} respondeu HTTP {error}."],
  ["The embedder at {host} did not answer within {seconds} s.", "O vetorizador em {host} não respondeu em {seconds} s."],
  ["The embedder at {host} did not finish within {seconds} s.", "O vetorizador em {host} não terminou em {seconds} s."],
  ["The embedder at {host} cannot be reached ({error}).", "O vetorizador em {host} está fora de alcance ({error})."],
  ["The embedder at {host} answered in a way that cannot be read ({error}).", "O vetorizador em {host} respondeu de um modo que não se pode ler ({error})."],
  ["The embedder at {host} answered HTTP {error}.", "O vetorizador em {host} respondeu HTTP {error}."],
  ["Check that it runs; the work stays queued and is tried again.", "Confira se está rodando; o trabalho fica na fila e é tentado de novo."],
  ["The work stays queued; try again later.", "O trabalho fica na fila; tente de novo mais tarde."],
  ["The work stays queued; try again in {seconds} s.", "O trabalho fica na fila; tente de novo em {seconds} s."],
  ["It does not accept the key.", "A chave não é aceita."],
  ["Check the model's API key.", "Confira a chave de API do modelo."],
  ["Check the embedder's API key.", "Confira a chave de API do vetorizador."],
  ["Redirects are not followed.", "Redirecionamentos não são seguidos."],
  ["Set base_url to the final address.", "Ponha em base_url o endereço final."],
  ["Check base_url.", "Confira base_url."],
  ["Check base_url and that the model {name} exists there.", "Confira base_url e se o modelo {name} existe lá."],
  ["Check base_url (usually it ends in /v1) and that the model {name} exists there.", "Confira base_url (em geral termina em /v1) e se o modelo {name} existe lá."],
  // A job's failure begins with the name of its class.
  ["{class}: {why}", "{class}: {why}"],
];

const ACTIONS: Record<string, string> = {
  forget: "esquecer",
  edit: "corrigir",
  merge: "juntar",
  archive: "arquivar",
  learn: "aprender",
  supersede: "substituir",
  pin: "fixar",
  restore: "trazer de volta",
  accept: "aceitar",
  undo: "desfazer",
};
const KIND = "bio|pref|emo|obj|evt|dec|note";
const FIGURES = ["near", "least", "share", "rank", "most", "needs", "left", "count", "some", "time", "days", "floor", "size", "seconds", "found", "version"];
const FIGURE: Hole = ["-?\\d+(?:,\\d{3})*(?:\\.\\d+)?", (text) => Number(text.replaceAll(",", ""))];
const ANYTHING: Hole = [".+?", (text) => text];
const kind = (name: string) => common(`kind.${name as "bio"}`);

const HOLES: Record<string, Hole> = {
  ...Object.fromEntries(FIGURES.map((name) => [name, FIGURE])),
  // A file's name may hold a colon; the reason behind it holds none.
  name: [".+", (text) => text],
  why: [".+?", told],
  class: ["[A-Z]\\w+", (text) => text],
  day: ["\\d{4}-\\d\\d-\\d\\d", (text) => text.split("-").reverse().join("/")],
  action: [Object.keys(ACTIONS).join("|"), (name) => ACTIONS[name] ?? name],
  kind: [KIND, kind],
  category: [`profile|${KIND}`, (name) => (name === "profile" ? common("source.profile") : kind(name))],
  standing: ["active|quarantined|contested|superseded|archived|forgotten", (name) => common(`standing.${name as "active"}`)],
  mode: ["on|collect_only|recall_only|off", (name) => common(`mode.${name as "on"}`)],
};
const hole = (name: string): Hole => HOLES[name] ?? ANYTHING;

/** The server's sentence as an expression: each hole is a group of its name. */
function expression(server: string): RegExp {
  const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
  const parts = server.split(/\{(\w+)\}/).map((part, at) => (at % 2 ? `(?<${part}>${hole(part)[0]})` : literal(part)));
  return new RegExp(`^${parts.join("")}$`, "s");
}

const RULES = TABLE.map(([server, pt, en]) => ({ pattern: expression(server), pt, en }));

/** The server's words in the language of now, as a whole or sentence by sentence. */
export function told(text: string): string {
  return known(text) ?? text.replace(SENTENCE, (part) => part.replace(/\S.*\S/s, (sentence) => known(sentence) ?? sentence));
}

function known(text: string): string | undefined {
  for (const { pattern, pt, en } of RULES) {
    const found = pattern.exec(text);
    if (!found) continue;
    const message = language.now === "pt" ? pt : en;
    const values = Object.entries(found.groups ?? {}).map(([name, value]) => [name, hole(name)[1](value)]);
    return message === undefined ? text : filled(message, Object.fromEntries(values), language.now);
  }
  return undefined;
}

/** Portuguese help texts of the settings. The English ones come from the server; a test compares the names. */

export const help: Record<string, string> = {
  preset: "Conjunto de valores base.",
  db: "Arquivo do banco de dados.",
  user: "Usuário padrão quando nenhum é informado.",
  embedder:
    "Modelo de embeddings: um dos nomes ou uma pasta com um modelo ONNX; none usa só busca por palavras-chave.",
  embedder_model: "Modelo solicitado ao serviço de embeddings; o padrão é instalado com o recollect.",
  embedder_url: "URL base de um serviço compatível com a OpenAI, com /v1.",
  embedder_key: "Chave de API desse serviço; nunca é exibida.",
  embedder_threads: "Threads que o modelo de embeddings local pode usar.",
  model: "Modelo de linguagem que extrai memórias; sem um, a extração é feita por regras.",
  model_fallbacks: "Modelos alternativos, em ordem de preferência.",
  model_provider: "Protocolo da API do serviço.",
  model_url: "URL base do serviço, com /v1 no protocolo da OpenAI.",
  model_key: "Chave de API desse serviço; nunca é exibida.",
  proxy_upstream:
    "Para onde o proxy encaminha requisições de clientes OpenAI, com /v1; se vazio, `model_url`.",
  proxy_key:
    "Chave de API para esse destino, usada para clientes com um token do Recollect; nunca é exibida.",
  proxy_upstream_anthropic:
    "Para onde o proxy encaminha requisições de clientes Anthropic; se vazio, `model_url`.",
  proxy_key_anthropic:
    "Chave de API para esse destino, usada para clientes com um token do Recollect; nunca é exibida.",
  prompts: "Pasta com prompts próprios, com os mesmos nomes dos originais.",
  worker: "Executa as tarefas em segundo plano neste processo. Desativado, outro processo as executa.",
  log_format: "Formato do log do servidor: texto ou objetos JSON.",
  log_level: "Nível do log do servidor; cada requisição é registrada como `info`.",
  otel: "Cria spans do OpenTelemetry para requisições, consultas e tarefas. Requer o extra `otel` e um SDK configurado por você.",
  requests_per_minute: "Requisições por minuto permitidas a cada usuário; 0 é sem limite.",
  busy_timeout_ms: "Milissegundos de espera por um bloqueio no arquivo ou no banco de dados.",
  postgres_connections: "Máximo de conexões deste processo com o PostgreSQL.",
  postgres_prepared_statements:
    "Prepara no PostgreSQL os comandos frequentes; desative com o PgBouncer anterior à versão 1.21.",
  chroma_dir: "Pasta do índice opcional do Chroma.",
  "memory.mode":
    "O que a memória faz: aprender e consultar, só aprender, só consultar ou nada. Sem aprender, as mensagens não são armazenadas.",
  "collect.enabled": "Aprende com as mensagens. Desativado, nada é extraído.",
  "collect.store_raw":
    "Quais mensagens são armazenadas: todas, só as com importância acima de 0, ou nenhuma depois de extrair os fatos.",
  "collect.mask_secrets": "Mascara chaves, cartões, senhas e dados semelhantes antes de armazenar.",
  "collect.max_message_bytes": "Tamanho máximo de uma mensagem, em bytes UTF-8.",
  "truncation.max_tool_chars": "Caracteres armazenados da saída de uma ferramenta; 0 armazena todos.",
  "chunking.enabled":
    "Divide mensagens longas em trechos de código e de texto que podem ser encontrados individualmente.",
  "chunking.max_tokens": "Máximo de tokens de um trecho de texto; blocos de código não são divididos.",
  "chunking.min_tokens": "Mensagens até este tamanho não são divididas.",
  "chunking.backfill": "Divide, em segundo plano, mensagens armazenadas antes de ativar a divisão.",
  "triage.enabled": "Ignora mensagens triviais antes da extração.",
  "triage.min_chars": "Mensagens mais curtas são consideradas triviais.",
  "triage.keep_phrases_override": "Se uma frase prioritária mantém também uma mensagem que parece trivial.",
  "triage.drop_phrases": "Frases adicionais que tornam uma mensagem trivial.",
  "triage.keep_phrases": "Frases prioritárias adicionais, que sempre enviam a mensagem para extração.",
  "extraction.mode": "O que é enviado de cada vez para extração e quantos fatos podem resultar.",
  "extraction.roles": "De quais papéis podem ser extraídos fatos. Os do assistente são marcados.",
  "extraction.known_memories": "Memórias existentes enviadas como contexto para a extração.",
  "extraction.batch_size": "Mensagens por chamada no modo em lotes.",
  "extraction.batch_wait_seconds":
    "Segundos que um lote espera por mais mensagens; um lote completo não espera.",
  "extraction.min_fact_chars": "Fatos mais curtos são descartados.",
  "spending.max_tokens_per_day":
    "Tokens de modelo por usuário por dia; acima disso, a extração é feita por regras. 0 é sem limite.",
  "spending.max_tokens_per_chat":
    "Tokens de modelo por chat; acima disso, a extração é feita por regras. 0 é sem limite.",
  "consolidation.duplicate_cosine":
    "Similaridade (cosseno) a partir da qual dois fatos são considerados iguais.",
  "consolidation.compared_memories": "Memórias existentes com que um fato novo é comparado.",
  "consolidation.context_file_cosine":
    "Similaridade (cosseno) a partir da qual um fato já consta em um arquivo de contexto.",
  "consolidation.context_file_substring":
    "Considera conhecido um fato cujo texto está contido em um arquivo de contexto.",
  "decay.emotion_per_week": "Peso que um sentimento perde por semana sem nova menção.",
  "decay.preference_per_week": "Peso que uma preferência perde por semana.",
  "decay.goal_per_week": "Peso que um objetivo perde por semana.",
  "decay.biography_fixed": "Mantém o peso de fatos biográficos sempre em 1,0.",
  "decay.archive_below": "Memórias com peso menor são arquivadas.",
  "decay.action": "O que acontece com memórias cujo peso ficou baixo demais.",
  "decay.temporary_days": "Dias até uma memória temporária (importância de 1 a 30) expirar; 0 nunca expira.",
  "summaries.every_answers": "Mensagens do assistente entre dois resumos do chat; 0 desativa.",
  "summaries.max_tokens": "Tamanho máximo de um resumo do chat, em tokens.",
  "summaries.scope": "Se os resumos podem ser usados em outros chats.",
  "summaries.working_every_exchanges": "Interações entre duas atualizações do resumo da sessão; 0 desativa.",
  "summaries.working_max_tokens": "Tamanho máximo do resumo da sessão, em tokens.",
  "summaries.working_max_words": "Número de palavras do resumo da sessão solicitado ao modelo.",
  "recall.enabled": "Usa memórias nas respostas. Desativado, só o chat atual é usado.",
  "recall.hybrid": "Combina busca por palavras-chave com busca semântica.",
  "recall.ranker":
    "Como os candidatos são ordenados: sum = α·dense + β·lexical + γ·identifier; evidence = sum + evidências de vizinhos, chat, data e autor; blend = sum × peso × recência dentro de limites; product = dense × peso × recência; cosine = só dense; importance = peso primeiro.",
  "recall.alpha": "Peso da similaridade semântica na pontuação.",
  "recall.beta": "Peso das palavras-chave na pontuação.",
  "recall.centroid_penalty":
    "Quanto a proximidade ao centroide de todos os vetores reduz a similaridade, no ranker evidence.",
  "recall.gamma": "Peso de um identificador de código igual na pontuação.",
  "recall.reply_weight": "Pontuação que uma pergunta transfere à mensagem seguinte, no ranker evidence.",
  "recall.previous_weight": "Pontuação que uma mensagem transfere à anterior, no ranker evidence.",
  "recall.chat_weight":
    "Pontuação que o melhor resultado de um chat transfere às demais mensagens dele, no ranker evidence.",
  "recall.lexical_lead_weight": "Peso de uma vantagem clara na busca por palavras-chave, no ranker evidence.",
  "recall.date_weight": "Peso de pertencer a um período mencionado na consulta, no ranker evidence.",
  "recall.speaker_weight": "Peso de ter sido escrito por alguém mencionado na consulta, no ranker evidence.",
  "recall.answer_type_weight": "Peso de conter uma data ou um número quando a consulta pede um.",
  "recall.personal_weight": "Peso de falar do próprio usuário quando a consulta é sobre ele.",
  "recall.short_penalty": "Penalidade para trechos muito curtos.",
  "recall.question_penalty": "Penalidade para trechos que são perguntas.",
  "recall.assistant_penalty": "Penalidade para trechos do assistente.",
  "recall.freshness_weight": "Peso de importância × recência, no ranker evidence.",
  "recall.neighbour_candidates": "Candidatos cujas mensagens vizinhas são avaliadas, no ranker evidence.",
  "recall.candidates_per_channel": "Candidatos obtidos de cada canal de busca antes da ordenação.",
  "recall.limit": "Máximo de trechos depois da ordenação.",
  "recall.relevance":
    "Probabilidade de relevância abaixo da qual um trecho não entra no prompt, com o modelo de embeddings padrão; é preciso ter também metade da maior probabilidade, e para uma lista basta a metade de ambas. 0 usa os melhores trechos para qualquer pergunta.",
  "recall.relevance_reads":
    "Número dos trechos mais prováveis que um cross-encoder lê antes de decidir a relevância; com 0 decidem só as características, o que é mais rápido e menos preciso.",
  "recall.relative_cutoff":
    "Trechos abaixo desta fração da melhor pontuação são descartados; 0 mantém todos.",
  "recall.max_memories": "Máximo de memórias; 0 deixa a proporção para a ordenação.",
  "recall.max_messages": "Máximo de mensagens; 0 deixa a proporção para a ordenação.",
  "recall.sources": "Tipos de conteúdo que podem ser usados.",
  "recall.other_chats": "Quando buscar em outros chats: se este tiver poucos resultados, sempre ou nunca.",
  "recall.other_chats_below": "Este chat tem poucos resultados se tiver menos que isto.",
  "recall.recent_chats": "Número de chats recentes em que buscar; 0 busca em todos.",
  "recall.min_importance": "Memórias de outros chats abaixo desta importância são ignoradas.",
  "recall.min_cosine":
    "Similaridade (cosseno) mínima de um resultado só da busca semântica; -1 usa o mínimo do modelo de embeddings.",
  "recall.small_store_size": "Até este número de memórias, todas são usadas; 0 desativa a regra.",
  "recall.fallback": "O que usar quando nada é encontrado: nada ou as memórias mais recentes.",
  "recall.fallback_count": "Quantas memórias recentes usar quando nada é encontrado.",
  "recall.half_life_days": "Meia-vida da recência, em dias.",
  "recall.boost_min": "Menor fator que peso × recência pode aplicar à pontuação.",
  "recall.boost_max": "Maior fator que peso × recência pode aplicar à pontuação.",
  "recall.expand_query": "Acrescenta termos do assunto a consultas pessoais curtas.",
  "recall.expand_max_chars": "Consultas mais longas que isto não são expandidas.",
  "recall.topic_filter": "Identifica o assunto da consulta e busca nos tipos de memória relacionados.",
  "recall.rerank_count": "Número de melhores trechos reordenados por um cross-encoder; 0 desativa.",
  "recall.rerank_deadline_ms":
    "Tempo máximo do reranker, em milissegundos; trechos não processados mantêm a pontuação.",
  "recall.rerank_weight": "Máximo que o reranker acrescenta a uma pontuação.",
  "recall.outdated_penalty": "Penalidade para mensagens com informação desatualizada.",
  "recall.code_first": "Coloca trechos de código primeiro quando a consulta menciona código.",
  "recall.deadline_ms":
    "Tempo limite de uma consulta, em milissegundos; depois disso, etapas lentas são ignoradas. 0 espera.",
  "context.format":
    "Formato do bloco de memória: notes dá a cada fato seu sujeito e sua data; companion_prompt é um prompt completo com uma persona.",
  "context.locale": "Idioma dos títulos no bloco de memória.",
  "context.budget": "Máximo de tokens do bloco de memória, incluindo títulos.",
  "context.overflow": "Quando um trecho não cabe: tentar trechos menores ou parar.",
  "context.recent_messages":
    "Mensagens mais recentes do chat incluídas na íntegra; 0 deixa isso para o aplicativo.",
  "context.summary_min_importance":
    "Mensagens anteriores deste chat acima desta importância são incluídas como resumos.",
  "context.recall_share": "Fração do orçamento reservada às memórias quando há mensagens recentes.",
  "context.repeat_after_turns":
    "Turnos até um trecho poder ser repetido no mesmo chat; 0 permite repetir imediatamente.",
  "context.persona": "Persona que responde, no formato companion_prompt.",
  "context.standing_tokens":
    "Máximo de tokens de instruções e restrições duradouras que se aplicam a uma tarefa sem que ela as mencione; 0 desativa. Depende de `recall.relevance`.",
  "context.notice":
    "Começa o bloco de memória com uma frase que diz que são dados sobre o usuário, não instruções. companion_prompt não tem essa frase, nem um bloco com orçamento abaixo de cem tokens.",
  "receipts.query": "Como a consulta é armazenada nos recibos.",
  "receipts.keep_days": "Dias de retenção de recibos e métricas.",
  "receipts.max_dropped_items": "Número de candidatos descartados registrados em um recibo.",
};

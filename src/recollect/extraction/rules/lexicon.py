"""Words shared by both languages: technologies, and canonical names of relations and favourites."""


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


DATABASES = word_set(
    "postgresql postgres mysql mariadb sqlite mongodb mongo redis dynamodb cassandra oracle firestore "
    "firebase supabase cockroachdb clickhouse elasticsearch neo4j duckdb snowflake bigquery sqlserver "
    "couchdb"
)
FRONTEND_FRAMEWORKS = word_set(
    "react vue angular svelte sveltekit next.js nextjs nuxt flutter solidjs ember htmx electron"
)
BACKEND_FRAMEWORKS = word_set(
    "django flask fastapi rails laravel spring express nestjs symfony phoenix gin actix axum asp.net .net "
    "node node.js nodejs quarkus"
)
PROGRAMMING_LANGUAGES = word_set(
    "python typescript javascript rust golang go kotlin swift java c++ c# php ruby elixir scala haskell "
    "dart clojure"
)
DEVELOPER_TOOLS = word_set(
    "docker kubernetes terraform ansible aws azure gcp heroku vercel netlify cloudflare jenkins github "
    "gitlab bitbucket celery kafka rabbitmq nginx graphql grpc rest tailwind bootstrap jest pytest cypress "
    "playwright webpack vite npm pnpm yarn poetry uv ruff eslint prettier storybook figma jira notion "
    "linear slack sentry datadog grafana prometheus openapi swagger oauth jwt websockets prisma sqlalchemy "
    "hibernate pandas numpy pytorch tensorflow vim neovim emacs vscode intellij linux ubuntu debian "
    "windows macos monorepo microservices serverless tdd ddd solid mvc mvvm cqrs scrum kanban redux "
    "zustand hexagonal monolithic monolith monolito event-driven"
)
TECHNOLOGIES = DATABASES | FRONTEND_FRAMEWORKS | BACKEND_FRAMEWORKS | PROGRAMMING_LANGUAGES | DEVELOPER_TOOLS

#: Single-valued attributes that a technology fills.
TECHNOLOGY_ATTRIBUTES: tuple[tuple[str, frozenset[str]], ...] = (
    ("project.database", DATABASES - {"redis", "elasticsearch", "oracle"}),
    ("project.framework", FRONTEND_FRAMEWORKS),
    ("project.backend", BACKEND_FRAMEWORKS),
    ("project.language", PROGRAMMING_LANGUAGES),
)

#: Canonical name of each relation; all words for a partner are one relation.
CANONICAL_RELATIONS = {
    word: name
    for name, words in {
        "mother": "mom mum mam mommy mae mamae",
        "father": "dad daddy pai papai",
        "sister": "irma",
        "brother": "irmao",
        "son": "filho",
        "daughter": "filha",
        "parents": "pais",
        "partner": "wife husband girlfriend boyfriend fiance fiancee spouse esposa mulher marido namorado namorada "
        "noivo noiva companheiro companheira parceiro parceira",
    }.items()
    for word in words.split()
}

#: Canonical name of each favourite.
CANONICAL_FAVOURITES = {
    "color": "colour",
    "cor": "colour",
    "comida": "food",
    "prato": "food",
    "dish": "food",
    "filme": "film",
    "movie": "film",
    "livro": "book",
    "banda": "band",
    "musica": "song",
    "time": "team",
    "equipa": "team",
    "autor": "author",
    "autora": "author",
    "linguagem": "language",
    "serie": "series",
    "show": "series",
    "jogo": "game",
    "esporte": "sport",
    "desporto": "sport",
    "bebida": "drink",
    "cidade": "city",
    "animal": "animal",
    "estacao": "season",
}

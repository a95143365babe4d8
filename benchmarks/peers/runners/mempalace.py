"""MemPalace: one drawer per message, as its own sweeper stores them; hybrid search."""

import json
import os
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from mempalace.palace import get_collection
from mempalace.searcher import search_memories

from benchmarks.peers.runners.bge import BgeEmbedder
from benchmarks.peers.runners.serving import USER_ID, Message, RunnerConfig, group_by_chat, serve

#: The largest possible cosine distance. It excludes nothing, but with a limit MemPalace also compares the vectors of
#: lexical hits instead of ranking them by words alone.
MAX_COSINE_DISTANCE = 2.0


class EmbeddingServer(ThreadingHTTPServer):
    """Local `/v1/embeddings` server: MemPalace accepts a custom model in no other way."""

    daemon_threads = True

    def __init__(self, model: BgeEmbedder) -> None:
        super().__init__(("127.0.0.1", 0), EmbeddingHandler)
        self.model = model
        threading.Thread(target=self.serve_forever, daemon=True).start()


class EmbeddingHandler(BaseHTTPRequestHandler):
    server: EmbeddingServer
    # Headers and body are sent in one write, so that no request waits for a delayed acknowledgement.
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        vectors = self.server.model.embed(request["input"])
        data = [{"index": place, "embedding": vector} for place, vector in enumerate(vectors)]
        body = json.dumps({"data": data}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Do not log each request."""


class MemPalace:
    def __init__(self, config: RunnerConfig) -> None:
        self._model = BgeEmbedder(config.network, config.tokenizer)
        self._endpoint = EmbeddingServer(self._model)
        self._palace_folder = str(config.folder)
        os.environ.update(
            MEMPALACE_BACKEND="sqlite_exact",
            MEMPALACE_EMBEDDING_MODEL="openai-compat",
            MEMPALACE_EMBEDDING_API_URL=f"http://127.0.0.1:{self._endpoint.server_port}",
            MEMPALACE_EMBEDDING_API_MODEL="bge-small-en",
        )

    @property
    def embedding_seconds(self) -> float:
        return self._model.cpu_seconds

    def ingest(self, messages: Sequence[Message]) -> dict[str, str]:
        drawers = get_collection(self._palace_folder, create=True)
        for chat_messages in group_by_chat(messages):
            drawers.upsert(
                ids=[each.id for each in chat_messages],
                documents=[each.text for each in chat_messages],
                metadatas=[_metadata(each, place) for place, each in enumerate(chat_messages)],
            )
        return {message.id: message.id for message in messages}

    def search(self, query: str, limit: int) -> list[str]:
        response: dict[str, Any] = search_memories(
            query,
            self._palace_folder,
            n_results=limit,
            candidate_strategy="union",
            max_distance=MAX_COSINE_DISTANCE,
        )
        if "error" in response:
            raise RuntimeError(f"MemPalace could not search: {response}")
        return [str(each["drawer_id"]) for each in response["results"]]

    def close(self) -> None:
        self._endpoint.shutdown()


def _metadata(message: Message, position: int) -> dict[str, str | int]:
    return {
        "wing": USER_ID,
        "room": message.chat,
        "source_file": message.chat,
        "chunk_index": position,
        "session_id": message.chat,
        "role": message.role,
        "timestamp": message.at,
        "filed_at": message.at,
    }


if __name__ == "__main__":
    serve(MemPalace)

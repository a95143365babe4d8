"""Katherine, a companion: few tokens, moods that fade, biography that stays."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.contract.stores import OpenStore
from tests.stories.presets import (
    context_receipt,
    context_text,
    exchange_messages,
    open_memory,
    scripted_model,
    user_messages,
)
from tests.stories.results import texts

from recollect import Memory
from recollect.adapters.onnx.embedder import OnnxEmbedder
from recollect.domain.scope import Scope
from recollect.interchange.compact import from_compact, to_compact
from recollect.testing.clock import FrozenClock
from recollect.testing.embedders import LetterEmbedder
from recollect.testing.inspection import store_of
from recollect.text.tokens import estimate_tokens

NEW_YEAR = datetime(2024, 1, 1, 9, 0, tzinfo=UTC)
WEEK = timedelta(weeks=1)
DINNER_QUESTION = "O que você sugere pro meu jantar hoje?"

#: What the user says, and what the model makes of it.
REPLIES_BY_MESSAGE = {
    "Sou vegetariano e odeio coentro.": (
        '[{"t":"bio","c":"vegetariano","w":0.9},{"t":"pref","c":"odeia coentro","w":0.8}]'
    ),
    "Estou de dieta (low carb).": '[{"t":"obj","c":"está de dieta (low carb)","w":0.7}]',
    "Estou ansioso hoje com as finanças.": '[{"t":"emo","c":"ansioso hoje","w":0.9}]',
}


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NEW_YEAR)


@pytest.fixture
def memory(open_store: OpenStore, clock: FrozenClock) -> Iterator[Memory]:
    with open_memory(open_store(), "companion", clock=clock, embedder=LetterEmbedder()) as memory:
        yield memory


@pytest.mark.spec("M4", "C-25", "D16", "D17", "C-3")
def test_the_block_is_the_one_its_document_prints(open_store: OpenStore, clock: FrozenClock) -> None:
    model = scripted_model(REPLIES_BY_MESSAGE, "[]")
    with open_memory(open_store(), "companion", model=model, embedder=OnnxEmbedder(), clock=clock) as memory:
        for text in REPLIES_BY_MESSAGE:
            memory.add(exchange_messages(text, "Entendi."), chat_id="monday", sync=True)
        shown = context_text(memory, DINNER_QUESTION)

    assert shown == (
        "[MEMÓRIA]\n"
        "- Vegetariano; odeia coentro.\n"
        "- Está de dieta (low carb).\n"
        "- Ansioso hoje (trate com calma)."
    )
    assert [call.messages[-1].content for call in model.calls] == [
        "Analise a msg do usuário. Extraia fatos novos, preferências ou estados emocionais importantes.\n"
        "Saída APENAS JSON minificado (lista). Se nada relevante, retorne [].\n"
        'Formato: {"t": "tipo", "c": "fato curto", "w": 0.0-1.0}\n'
        "Tipos: bio, pref, emo, obj.\n"
        f'Texto: "{text}"'
        for text in REPLIES_BY_MESSAGE
    ]


@pytest.mark.spec("M5", "A4", "H2", "H4", "H12")
def test_the_whole_prompt_is_the_one_its_document_prints(open_store: OpenStore, clock: FrozenClock) -> None:
    """Three layers: what was just said, where the conversation stands, and what is known for good."""
    model = scripted_model(
        {
            "Resuma a conversa atual": "Usuário discutindo refatoração de código, levemente frustrado.",
            "Gosto de Sci-Fi": '[{"t":"pref","c":"gosta de Sci-Fi","w":0.8}]',
            "Sou vegetariano": '[{"t":"bio","c":"vegetariano","w":0.9}]',
        },
        "[]",
    )
    with open_memory(
        open_store(), "companion", model=model, clock=clock, embedder=LetterEmbedder()
    ) as memory:
        memory.add(user_messages("Sou vegetariano.", "Gosto de Sci-Fi."), chat_id="monday", sync=True)
        for number in range(1, 5):
            memory.add(
                exchange_messages(
                    f"Não consigo refatorar o módulo {number}.", f"Vamos por partes: {number}."
                ),
                chat_id="today",
                sync=True,
            )
        shown = context_text(memory, "O que faço agora?", context__format="companion_prompt")

    assert shown == (
        "Você é Katherine.\n"
        "[MEMÓRIA DE LONGO PRAZO]\n"
        "- Vegetariano; gosta de Sci-Fi.\n\n"
        "[CONTEXTO ATUAL]\n"
        "Usuário discutindo refatoração de código, levemente frustrado.\n\n"
        "[HISTÓRICO RECENTE]\n"
        "- Usuário: Não consigo refatorar o módulo 2.\n"
        "- Assistente: Vamos por partes: 2.\n"
        "- Usuário: Não consigo refatorar o módulo 3.\n"
        "- Assistente: Vamos por partes: 3.\n"
        "- Usuário: Não consigo refatorar o módulo 4.\n"
        "- Assistente: Vamos por partes: 4.\n\n"
        "Responda de forma natural, usando a memória para personalizar, mas sem ser repetitiva."
    )
    [asked] = [c.messages[-1].content for c in model.calls if "Resuma a conversa" in c.messages[-1].content]
    assert asked.startswith(
        "Resuma a conversa atual em 1 frase densa. Foque no objetivo atual e estado emocional.\n"
        'Atual: ""\n'
        'Novas msgs: "user: Não consigo refatorar o módulo 1.\n'
    )
    assert asked.endswith("Saída (max 30 palavras):")


@pytest.mark.spec("E4", "E5", "C8")
def test_what_is_kept_can_be_written_as_the_compact_json_of_the_document(
    open_store: OpenStore, clock: FrozenClock
) -> None:
    said = {
        "Odeio coentro.": '[{"t":"pref", "c":"odeia coentro", "w":0.8}]',
        "Fico ansioso com finanças.": '[{"t":"emo", "c":"ansioso com finanças", "w":0.9}]',
        "Trabalho como dev frontend.": '[{"t":"bio", "c":"trabalha: dev frontend", "w":1.0}]',
    }
    model = scripted_model(said, "[]")
    with open_memory(open_store(), "companion", model=model, clock=clock) as memory:
        for text in said:
            memory.add(user_messages(text), chat_id="monday", sync=True)
        memories = list(store_of(memory.application).memories.list(Scope("default")))
    written = to_compact(memories)

    assert [{key: entry[key] for key in "tcwd"} for entry in reversed(json.loads(written))] == [
        {"t": "pref", "c": "odeia coentro", "w": 0.8, "d": "240101"},
        {"t": "emo", "c": "ansioso com finanças", "w": 0.9, "d": "240101"},
        {"t": "bio", "c": "trabalha: dev frontend", "w": 1.0, "d": "240101"},
    ]
    assert to_compact(from_compact(written, user="default", now=clock.now())) == written


@pytest.mark.spec("B7", "B8", "B10", "C-26")
@pytest.mark.parametrize(
    ("said", "kind", "fact"),
    [
        ("Meu nome é Pedro", "biography", "nome: Pedro"),
        ("Meu nome é Ana", "biography", "nome: Ana"),
        ("Sou vegetariano", "preference", "é vegetariano"),
        ("Tenho 30 anos", "biography", "tem 30 anos"),
        ("Quero aprender a programar este ano", "goal", "quer aprender a programar este ano (2024)"),
        ("Fui demitido hoje", "event", "foi demitido hoje (2024-01-01)"),
        ("Nasceu meu filho", "event", "nasceu filho"),
    ],
)
def test_what_its_document_saves_is_saved_without_a_model(
    memory: Memory, said: str, kind: str, fact: str
) -> None:
    memory.add(user_messages(said), chat_id="monday", sync=True)

    assert [(each.kind, each.text) for each in memory.get_all()] == [(kind, fact)]


@pytest.mark.spec("B11")
@pytest.mark.parametrize(
    "said", ["O tempo está bom", "Bom dia!", "Obrigado, já entendi.", "Como abro um PDF?"]
)
def test_what_its_document_does_not_save_is_not_saved(memory: Memory, said: str) -> None:
    memory.add(user_messages(said), chat_id="monday", sync=True)

    assert memory.get_all() == []


@pytest.mark.spec("F1", "TR-22", "C-17")
def test_not_liking_meat_confirms_the_vegetarian(memory: Memory, clock: FrozenClock) -> None:
    memory.add(user_messages("Sou vegetariano"), chat_id="monday", sync=True)
    clock.advance(WEEK)
    memory.add(user_messages("Não gosto de carne"), chat_id="friday", sync=True)
    [known] = memory.get_all()

    assert (known.text, known.times_stated) == ("é vegetariano", 2)
    assert known.last_stated_at == datetime(2024, 1, 8, 9, tzinfo=UTC)


@pytest.mark.spec("G2", "G3", "G4", "A5")
def test_moods_fade_within_weeks_and_the_rest_is_kept_for_ever_but_reached_by_asking_only(
    open_store: OpenStore, clock: FrozenClock
) -> None:
    said = {
        "Trabalho como dev frontend.": '[{"t":"bio","c":"trabalha: dev frontend","w":0.9}]',
        "Odeio coentro.": '[{"t":"pref","c":"odeia coentro","w":0.8}]',
        "Estou ansioso com finanças.": '[{"t":"emo","c":"ansioso com finanças","w":0.9}]',
    }
    model = scripted_model(said, "[]")
    with open_memory(
        open_store(), "companion", model=model, clock=clock, embedder=LetterEmbedder()
    ) as memory:
        memory.add(user_messages(*said), chat_id="monday", sync=True)
        clock.advance(6 * WEEK)
        memory.maintenance.run()
        six_weeks = texts(memory.get_all())
        clock.advance(WEEK)
        memory.maintenance.run()
        clock.advance(520 * WEEK)
        memory.maintenance.run()
        after = {each.text: each.weight for each in memory.get_all()}
        found = [each.text for each in memory.search("Ele odeia coentro?")]
        unasked = context_text(memory, "Ele odeia coentro?", recall__enabled=False)

    assert six_weeks == ["ansioso com finanças", "odeia coentro", "trabalha: dev frontend"]
    assert after == {"trabalha: dev frontend": 1.0, "odeia coentro": 0.8}
    assert found[0] == "odeia coentro"
    assert unasked == ""


@pytest.mark.spec("K8", "C-8", "A7", "Y6")
def test_five_of_ten_candidates_are_told_in_few_tokens_however_much_is_known(memory: Memory) -> None:
    for number in range(40):
        memory.add(f"gosta do prato número {number} da cozinha mineira", kind="preference")
    memory.flush()
    receipt = context_receipt(memory, "Qual prato da cozinha mineira?")
    shown = receipt.text

    assert (receipt.sources["global_dense"], receipt.budget) == (10, 300)
    assert sum(item.disposition == "injected" for item in receipt.items) == 5
    assert (shown.count("prato número"), shown.count("\n")) == (5, 1)
    assert estimate_tokens(shown) <= 100


@pytest.mark.spec("A7", "B4")
def test_small_talk_costs_a_companion_no_tokens_and_a_mood_comes_with_advice(
    open_store: OpenStore, clock: FrozenClock
) -> None:
    model = scripted_model({"finanças": '[{"t":"emo","c":"ansioso com finanças","w":0.9}]'}, "[]")
    with open_memory(
        open_store(), "companion", model=model, clock=clock, embedder=LetterEmbedder()
    ) as memory:
        memory.add(
            user_messages("Oi!", "Bom dia!", "kkkk", "Estou ansioso com finanças."),
            chat_id="monday",
            sync=True,
        )
        shown = context_text(memory, "Como estão as finanças?")

    assert len(model.calls) == 1
    assert shown == "[MEMÓRIA]\n- Ansioso com finanças (trate com calma)."


@pytest.mark.spec("C-4")
def test_once_learned_the_words_themselves_are_let_go(memory: Memory) -> None:
    for number in range(12):
        memory.add(exchange_messages(f"Tenho {20 + number} anos.", "Anotado."), chat_id="monday", sync=True)

    assert len(memory.chats.messages("monday")) <= 6
    assert texts(memory.get_all()) == ["tem 31 anos"]


@pytest.mark.spec("K7", "L3", "G6", "TR-17")
def test_a_topic_looks_among_the_kinds_that_bear_on_it_and_a_mood_weighs_what_is_left_of_it(
    open_store: OpenStore,
) -> None:
    clock = FrozenClock()
    with Memory(
        store=open_store(),
        embedder=LetterEmbedder(),
        clock=clock,
        settings={"worker": False, "preset": "companion"},
    ) as memory:
        memory.add("odeia coentro no jantar", kind="preference")
        memory.add("ansiosa com o jantar de sexta", kind="emotion")
        memory.add("o jantar de maio foi no Porto", kind="event")
        memory.flush()
        about_food = {each.kind for each in memory.search("O que sugere pro meu jantar?")}
        clock.advance(timedelta(weeks=3))
        [mood] = [each for each in memory.search("jantar de sexta") if each.kind == "emotion"]

    assert about_food == {"preference", "emotion"}
    assert mood.parts["weight"] == pytest.approx(0.7)


@pytest.mark.spec("G2", "G6")
def test_a_list_shows_the_weight_that_is_left(memory: Memory, clock: FrozenClock) -> None:
    memory.add("ansiosa com o jantar de sexta", kind="emotion")
    memory.add("odeia coentro no jantar", kind="preference")
    stated = [each.weight for each in memory.get_all()]
    clock.advance(3 * WEEK)
    listed = {each.kind: each.weight for each in memory.get_all()}
    clock.advance(3 * WEEK)
    memory.maintenance.run()
    later = {each.kind: each.weight for each in memory.get_all()}

    assert stated == [1.0, 1.0]
    assert listed == {"emotion": 0.7, "preference": 1.0}
    assert later == {"emotion": 0.4, "preference": 1.0}


@pytest.mark.spec("K7", "K8", "L3")
def test_a_dinner_gets_tastes_and_no_goal_of_another_topic(open_store: OpenStore, clock: FrozenClock) -> None:
    statements = (
        "Sou vegetariano",
        "Odeio coentro",
        "Quero aprender a programar este ano",
        "Meu nome é Pedro",
        "Tenho 30 anos",
        "Trabalho como dev frontend",
        "Moro em Recife",
        "Gosto de ficção científica",
        "Estou de dieta low carb",
    )
    with open_memory(open_store(), "companion", embedder=OnnxEmbedder(), clock=clock) as memory:
        for number, statement in enumerate(statements):
            memory.add(user_messages(statement), chat_id=f"chat {number}", sync=True)
        shown = context_text(memory, DINNER_QUESTION)

    assert "odeia coentro" in shown
    assert "vegetariano" in shown
    assert "programar" not in shown


@pytest.mark.spec("B8", "B10")
@pytest.mark.parametrize(
    ("statement", "mood"),
    [
        ("Estou ansioso com finanças", "está ansioso com finanças"),
        ("Tô ansioso de novo por causa dos prazos", "está ansioso de novo por causa dos prazos"),
        ("I'm anxious about money", "is anxious about money"),
    ],
)
def test_a_feeling_with_its_cause_is_kept_without_a_model(memory: Memory, statement: str, mood: str) -> None:
    memory.add(user_messages(statement), chat_id="monday", sync=True)

    assert [(each.kind, each.text) for each in memory.get_all()] == [("emotion", mood)]


@pytest.mark.spec("H2", "H4")
def test_the_working_memory_without_a_model_quotes_a_whole_statement(memory: Memory) -> None:
    statements = (
        "Hoje briguei com meu chefe.",
        "Acho que o ambiente no trabalho é pesado.",
        "O chefe grita com todos no trabalho.",
        "Talvez seja hora de sair.",
    )
    for statement in statements:
        memory.add(exchange_messages(statement, "Entendo."), chat_id="monday", sync=True)
    [summary] = memory.chats.summaries(chat_id="monday")

    assert any(f"“{statement.rstrip('.')}”" in summary.text for statement in statements)


@pytest.mark.spec("C-3", "G3")
def test_an_imported_biography_has_the_full_weight(memory: Memory, tmp_path: Path) -> None:
    file = tmp_path / "memories.json"
    file.write_text(
        '[{"t":"bio","c":"nome: Pedro","w":0.9},{"t":"pref","c":"odeia coentro","w":0.8}]', "utf-8"
    )
    memory.import_from(file)

    assert {(each.text, each.weight) for each in memory.get_all()} == {
        ("nome: Pedro", 1.0),
        ("odeia coentro", 0.8),
    }

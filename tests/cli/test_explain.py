from tests.cli.runner import InProcessCli

TEXT = (
    "Morning! My sister Ana is a nurse in Leeds. She's allergic to penicillin. Can you write a poem about tea? "
    "The bus was late again, lol."
)


def test_each_sentence_is_explained(cli: InProcessCli) -> None:
    sentences = cli.json("explain", TEXT)["sentences"]
    facts = [fact["text"] for sentence in sentences for fact in sentence["facts"]]

    assert facts == ["My sister Ana is a nurse in Leeds.", "My sister Ana is allergic to penicillin."]
    assert all(sentence["features"] and sentence["reason"] for sentence in sentences)


def test_nothing_is_stored(cli: InProcessCli) -> None:
    cli.db.unlink()

    result = cli("explain", TEXT)

    assert "keep (" in result.stdout
    assert not cli.db.exists()

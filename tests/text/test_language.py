import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.language import detect_language

ENGLISH = """
what can I cook tonight?
I hate cilantro
fix the bug
no
yes please
thank you so much
hello there
how are you?
my name is Pedro
I live in Lisbon
I moved to São Paulo last year
remind me to call mum on Friday
good morning
see you tomorrow
can you help me with this
I'm allergic to peanuts
where did I park the car
she works at a bank
any dinner ideas?
my dog's name is Rex
run the tests
sounds good
never mind
why not?
I prefer tea over coffee
delete this file
summarise the article for me
book a table for two
what's the weather like
two tickets to Rome
vegetarian recipes
the build is broken
who wrote this
write a short poem about rain
explain recursion
I love hiking in the mountains
it does not work
stop it
try again
not really
don't do that
that's wrong
we have three kids
he was born in 1990
our meeting is at 3pm
translate this to Portuguese
she doesn't eat meat
I've been learning guitar
which one is better?
could you make it shorter
I graduated with a degree in Physics
let's talk about something else
my sister Ana lives in Porto
tell me a joke
I work from home on Mondays
what should I wear
is it going to rain
the quick brown fox
my favourite colour is green
I'd like to learn Japanese
need to buy milk and eggs
can't sleep again
who is my doctor
we're getting married in June
""".strip().splitlines()

PORTUGUESE = """
oi tudo bem
sou vegetariano
odeio coentro
quero aprender a programar este ano
meu nome é Pedro
obrigado!
bom dia
boa noite
não sei
sim
tudo certo
me ajuda com isso
moro em Lisboa
trabalho no Google
tenho dois filhos
qual é a capital da França?
ideias para o jantar
receitas vegetarianas
comprei um carro novo
minha esposa se chama Ana
estou cansado hoje
vamos viajar amanhã
onde fica o banheiro?
eu gosto de café
prefiro chá
que horas são
pode resumir o texto?
corrige o erro
apaga esse arquivo
valeu
até logo
ele joga futebol
a reunião foi adiada
nasci em 1990
sou alérgico a amendoim
meu cachorro se chama Rex
não funciona
tenta de novo
faz um poema sobre a chuva
explica recursão
o que posso cozinhar hoje à noite
ela não come carne
o código não compila
traduz para inglês
a gente se casa em junho
quem é o meu médico
preciso comprar leite e ovos
nosso aniversário é em março
gostei muito do filme
você lembra do meu irmão
vc pode me lembrar amanhã
nao quero mais isso
minha cor favorita é verde
quanto custa a passagem
mora com os pais
faço aniversário dia 12
conta uma piada
detesto acordar cedo
ontem fui ao cinema com a Maria
tô com dor de cabeça
isso está errado
mudei de emprego
falo português e inglês
meu time é o Palmeiras
""".strip().splitlines()

OTHER_LANGUAGES = [
    ("es", "¿qué puedo cocinar esta noche?"),
    ("es", "me gusta mucho el fútbol y vivo en Madrid"),
    ("es", "hola, necesito ayuda con mi ordenador"),
    ("fr", "bonjour, je voudrais réserver une table pour deux"),
    ("fr", "qu'est-ce que je peux cuisiner ce soir ?"),
    ("de", "ich wohne in Berlin und esse kein Fleisch"),
    ("de", "kannst du mir bitte helfen?"),
    ("it", "ciao, mi chiamo Marco e vivo a Roma"),
    ("it", "cosa posso cucinare stasera?"),
    ("ru", "я не люблю кинзу"),
    ("uk", "я люблю їсти вареники"),
    ("zh", "我今天晚上吃什么？"),
    ("ja", "今夜は何を作ろうかな"),
    ("ja", "東京に住んでいます"),
    ("ko", "오늘 저녁에 뭐 먹을까요?"),
    ("el", "τι να μαγειρέψω απόψε;"),
    ("he", "מה לבשל הערב?"),
    ("ar", "ماذا أطبخ الليلة؟"),
    ("fa", "امشب چه غذایی بپزم؟"),
    ("hi", "आज रात क्या पकाऊँ?"),
    ("th", "คืนนี้ทำอะไรกินดี"),
]


@pytest.mark.spec("TR-18")
def test_the_language_of_short_messages_is_detected() -> None:
    labelled = [("en", line) for line in ENGLISH] + [("pt", line) for line in PORTUGUESE]
    mistaken = [(language, line) for language, line in labelled if detect_language(line) != language]

    assert len(labelled) >= 120
    assert len(mistaken) <= 0.03 * len(labelled), mistaken


@pytest.mark.parametrize(("language", "line"), OTHER_LANGUAGES)
def test_other_languages_show_themselves(language: str, line: str) -> None:
    assert detect_language(line) == language


@pytest.mark.parametrize("text", ["", "   ", "12345", "!!!", "42 + 7 = 49", "\x00", "\ud800", "👍🏽", "x"])
def test_text_without_a_language_is_undetermined(text: str) -> None:
    assert detect_language(text) == "und"


@pytest.mark.parametrize(
    "code",
    [
        "for (i = 0; i < n; i++) { a[i] = b[i]; }",
        "x = foo(bar)",
        "SELECT * FROM t WHERE id = 1",
        "git rebase -i",
    ],
)
def test_code_is_at_most_english(code: str) -> None:
    assert detect_language(code) in {"en", "und"}


def test_names_and_addresses_do_not_hide_the_language() -> None:
    assert detect_language("abre https://example.com/the/house/of/what_is_this para mim") == "pt"
    assert detect_language("open /casa/do/joão/não.txt for me") == "en"


def test_a_few_words_of_another_script_do_not_decide() -> None:
    assert detect_language("my friend wrote 你好 on the wall and I don't know what it means") == "en"


def test_typographic_apostrophes_are_apostrophes() -> None:
    assert detect_language("I’m not sure it’s mine") == "en"


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_has_an_answer(text: str) -> None:
    assert 2 <= len(detect_language(text)) <= 3


@pytest.mark.parametrize("text", ["a" * 100_000, "a'" * 50_000, "_" * 100_000, "é " * 50_000, "/\\" * 50_000])
def test_long_and_odd_texts_have_an_answer(text: str) -> None:
    assert detect_language(text)

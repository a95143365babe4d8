"""Vocabulary of the synthetic chats: frequent function words, topic words, and many rare words."""

from collections.abc import Iterator, Sequence
from itertools import product


def _split_words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


#: Function words, most frequent first.
FUNCTION_WORDS = _split_words("""
    the to and of a in i it that is you for on with was this have be but my not at are we so if as
    they or all what just from can there do will about would out me up your one had like when get by
    an which more how their then some our her been know now who has he were them than only his time
    could also did into good think no want really see she go make because us work very should people
    two well back way over much here need after first too any other still before most new where
    going even something never again last maybe around always long little while day next since
    through under between without though another each such both often enough almost quite
""")

TOPICS = {
    "kitchen": _split_words("""
        recipe oven flour butter onion garlic simmer pan dinner lentils bake salt pepper soup dough
        sauce roast lemon spice breakfast vegetarian stew rice knife
    """),
    "code": _split_words("""
        function variable compiler branch commit merge deploy server database query index cache
        thread parser refactor library release module exception latency schema endpoint container
        rollback
    """),
    "garden": _split_words("""
        tomato soil compost seedling prune hedge lawn beehive rake orchard bulb mulch greenhouse
        weeds tulip watering fence shed frost harvest pumpkin ladybird trellis blossom
    """),
    "travel": _split_words("""
        flight train hotel passport luggage itinerary ferry harbour museum border visa hostel ticket
        island platform suitcase airport guidebook sunset delay tram mountain coast village
    """),
    "health": _split_words("""
        doctor appointment dentist allergy prescription pollen vitamin headache sleep therapy knee
        blood pressure vaccine clinic recovery muscle stretching diet fever nurse symptom dose
        bandage
    """),
    "money": _split_words("""
        salary budget mortgage savings invoice tax pension interest loan account receipt insurance
        rent currency fund dividend expense refund wallet contract fee balance deposit accountant
    """),
    "music": _split_words("""
        guitar piano chord rehearsal concert album melody drummer violin choir vinyl rhythm lyrics
        tuning stage festival trumpet jazz orchestra speaker playlist cello verse encore
    """),
    "sport": _split_words("""
        marathon training coach goalkeeper season tournament bicycle swim sprint league referee
        injury stadium pedal climbing racket whistle medal stamina warmup jersey hurdle javelin
        relay
    """),
    "school": _split_words("""
        teacher exam homework lecture thesis library semester grade notebook laboratory essay
        scholarship pupil classroom algebra chemistry history seminar deadline professor campus
        diploma chalk tutor
    """),
    "house": _split_words("""
        kitchen roof plumbing paint carpet window furnace neighbour ladder wallpaper curtain
        basement attic hinge drill tile radiator lease landlord doorbell shelf gutter chimney lamp
    """),
    "family": _split_words("""
        sister brother grandmother cousin wedding birthday anniversary toddler uncle nephew cradle
        reunion aunt childhood pregnancy godson stepfather niece adoption heirloom twins bedtime
        nursery surname
    """),
    "animals": _split_words("""
        puppy kitten veterinarian leash parrot aquarium hamster stable pony feather litter whiskers
        collar kennel rabbit tortoise beak paw saddle hedgehog falcon burrow fur goldfish
    """),
    "film": _split_words("""
        director screenplay actor cinema trailer sequel camera premiere documentary subtitle scene
        editing script audience comedy thriller costume dialogue soundtrack plot villain rehearsals
        credits casting
    """),
    "law": _split_words("""
        lawyer court judge verdict statute witness appeal clause lawsuit custody patent trademark
        hearing settlement evidence notary jury prosecutor testimony probate liability warrant bail
        tribunal
    """),
    "space": _split_words("""
        telescope orbit galaxy comet rocket astronaut satellite nebula eclipse crater gravity lunar
        asteroid launch observatory spectrum cosmic shuttle meteor solstice planet probe aurora
        horizon
    """),
    "craft": _split_words("""
        knitting yarn needle sewing fabric quilt pottery kiln glaze carving chisel sandpaper varnish
        loom thread embroidery origami leather stencil easel canvas palette sculpture mosaic
    """),
    "weather": _split_words("""
        storm thunder drizzle humidity forecast blizzard rainbow drought hail breeze temperature
        flood lightning snowfall cloud barometer heatwave mist gale sunshine monsoon icicle overcast
        puddle
    """),
    "books": _split_words("""
        novel author chapter paperback poetry publisher library bookmark memoir translation footnote
        fantasy mystery narrator preface edition bookshop manuscript anthology fable epilogue
        glossary sonnet saga
    """),
    "office": _split_words("""
        meeting agenda manager colleague presentation spreadsheet printer interview promotion
        payroll intern headquarters client proposal quarterly stapler memo roadmap onboarding
        resignation overtime desk
    """),
    "cars": _split_words("""
        engine brake gearbox tyre mechanic clutch exhaust windscreen garage mileage battery charger
        trailer highway radiator headlight petrol insurance steering bumper axle spanner dashboard
        towing
    """),
}

COLOURS = _split_words("""
    red orange amber yellow olive green teal blue indigo violet crimson ivory grey silver
""")
RELATIVES = _split_words("""
    sister brother aunt uncle cousin niece nephew neighbour colleague dentist landlord teacher coach
    mechanic grandmother grandfather godson accountant
""")
THINGS = _split_words("""
    bicycle canoe piano ladder telescope tent kettle violin scooter drill sewing-machine caravan
    accordion wheelbarrow lawnmower typewriter aquarium hammock projector anvil greenhouse toolbox
    rucksack globe
""")
PLACES = _split_words("""
    attic basement garage boathouse orchard pantry cellar barn hallway balcony workshop library
""")
VERBS = _split_words("""
    parse load store merge render fetch update index format resolve encode validate
""")

WORD_ENDINGS = ("s", "ed", "ing", "er", "less", "ly", "ness", "able")
ONSETS = _split_words("b br c cl d dr f g gr h j k l m n p pr qu r s st t tr v w z")
VOWELS = ("a", "e", "i", "o", "u", "ai", "ou")
CODAS = ("", "n", "l", "r", "sk", "m", "th")


def generate_names() -> Iterator[str]:
    """Yield rare words and names of two syllables, nearly 1.4 million."""
    for second, first in product(product(ONSETS, VOWELS, CODAS), product(ONSETS, VOWELS, CODAS)):
        yield "".join((*first, *second))


def inflect(words: Sequence[str]) -> Iterator[str]:
    """Yield the words, then their inflected forms."""
    yield from words
    for ending in WORD_ENDINGS:
        yield from (word.removesuffix("e" if ending[0] in "aei" else "") + ending for word in words)

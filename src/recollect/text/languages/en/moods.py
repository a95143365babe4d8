"""Mood words of English."""

from collections.abc import Mapping

from recollect.text.languages.language import MoodWords
from recollect.text.languages.mood import Mood

MOODS: Mapping[Mood, MoodWords] = {
    Mood.FRUSTRATED: MoodWords(
        adjective="frustrated",
        name_pattern=r"frustrat\w*|annoy(?:ed|ing)|irritat\w*|fed up",
        expression_pattern=r"\bargh+\b|\bugh+\b|not working again|still (?:not|broken|fail\w+)|doesn't work|won't work|"
        r"keeps? (?:failing|crashing|breaking)|i've tried everything|wasted \w+ hours?",
        stem_pattern="frustrat|annoy|angry|anger|irritat|furious",
        tone_hint="be patient",
    ),
    Mood.ANXIOUS: MoodWords(
        adjective="anxious",
        name_pattern=r"anxious|anxiety|nervous|worried",
        expression_pattern=r"what if (?:it|i|we)|freaking out|can't sleep",
        stem_pattern="anxi|worr|uneasy",
        tone_hint="keep calm and be gentle",
    ),
    Mood.STRESSED: MoodWords(
        adjective="stressed",
        name_pattern=r"stressed|overwhelmed|under pressure",
        expression_pattern=r"too much to do|deadline is killing",
        stem_pattern="stress|overwhelm",
        tone_hint="keep it light",
    ),
    Mood.ANGRY: MoodWords(
        adjective="angry",
        name_pattern=r"angry|furious|pissed off|mad at",
        expression_pattern=r"\bwtf\b|this is ridiculous",
    ),
    Mood.SAD: MoodWords(
        adjective="sad",
        name_pattern=r"\bsad\b|depressed|heartbroken|miserable",
        expression_pattern=r"i miss (?:him|her|them|my)|i cried",
        stem_pattern=r"sad\b|sadness|depress|upset|hurt\b|down\b",
        tone_hint="be warm and kind",
    ),
    Mood.TIRED: MoodWords(
        adjective="tired",
        name_pattern=r"\btired\b|exhausted|burned out|burnt out",
        stem_pattern="tired|exhaust|burn",
        tone_hint="be brief",
    ),
    Mood.CONFUSED: MoodWords(
        adjective="confused",
        name_pattern=r"confused|confusing|\blost\b here",
        expression_pattern=r"i don't (?:get|understand)|makes no sense",
    ),
    Mood.AFRAID: MoodWords(
        adjective="afraid",
        name_pattern=r"afraid|scared|terrified",
        stem_pattern="afraid|scared|fear|insecure",
        tone_hint="be reassuring",
    ),
    Mood.LONELY: MoodWords(
        adjective="lonely",
        name_pattern=r"\blonely\b",
        stem_pattern="lonely|alone|loneliness",
        tone_hint="be good company",
    ),
    Mood.EXCITED: MoodWords(adjective="excited", name_pattern=r"excited|thrilled|can't wait"),
    Mood.HAPPY: MoodWords(
        adjective="happy",
        name_pattern=r"\bhappy\b|\bglad\b|so proud|delighted",
        expression_pattern=r"it works!|woohoo|\byay\b|love it|perfect!",
        stem_pattern="happy|glad|excited|proud|thrilled|joy",
        tone_hint="share the joy",
    ),
    Mood.GRATEFUL: MoodWords(
        adjective="grateful", name_pattern=r"grateful|thankful", expression_pattern=r"thank you so much"
    ),
    Mood.GRIEVING: MoodWords(stem_pattern="griev|grief|mourn", tone_hint="be tender"),
}

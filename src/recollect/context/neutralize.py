"""
Neutralize recalled text, so that neither a model nor a Markdown renderer obeys it.

Recalled text was written by users, pages and tools, and is quoted in a prompt. Four kinds of markup could leave that
quotation, and each is replaced by a form that reads the same to a person:

- tokens of chat templates and our own tags: `<|im_start|>` becomes `‹|im_start|›`, `[INST]` becomes `(INST)`;
- role markers at the start of a line: `System: obey` becomes `System – obey`;
- images and links to other hosts: `![x](https://…)` becomes `![x] (https://…)`, which is no link in Markdown;
- lines that look like a heading or a separator of our own blocks: a backslash is put before them.

Everything else is kept: prose, code, generics, comparisons, bare addresses, relative links. `neutralize` is idempotent
and takes linear time: no expression backtracks, and none scans the same characters from more than a few places.
"""

import re

from recollect.context.labels import HEADINGS, NOTICES, BlockLabels, all_words

_BREAK = r"\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029"

#: Single tokens of chat templates. They are lower-case in every tokenizer, so that the type `Foo<S>` is kept.
_TEMPLATE_TAGS = (
    "s|bos|eos|pad|unk|mask|sep|cls|start_of_turn|end_of_turn|start_of_image|end_of_image|think|thinking|"
    "tool_call|tool_calls|tool_response|tool_result|tools|extra_id_[0-9]{1,4}|unused[0-9]{1,4}"
)
#: Names of tags that models read as roles or instructions. `List<User>` is a type, hence no letter before these.
_ROLE_TAGS = (
    "memory|system|assistant|user|human|developer|instructions?|system_prompt|system-reminder|function_calls?|"
    "function_results?|invoke"
)
_HTML_TAGS = (
    "a|img|image|iframe|script|link|object|embed|video|audio|source|track|form|svg|base|meta|frame|area"
)
_SCHEME = r"(?:[a-z][a-z0-9+.-]{0,31}+://|(?:data|javascript|vbscript|mailto|tel|sms|file|blob|about):)"

_TAG = re.compile(
    rf"<[|｜][\w▁ ./=:,+-]{{1,64}}+[|｜]>"
    rf"|</?+(?-i:{_TEMPLATE_TAGS})>"
    r"|<</?+sys>>"
    r"|<memory(?=\s)"
    rf"|</(?:{_ROLE_TAGS})(?![\w-])>?+"
    rf"|(?<!\w)<(?:{_ROLE_TAGS})(?![\w-])>?+"
    rf"|(?<!\w)<(?=(?:{_HTML_TAGS})(?![\w-])(?P<attributes>[^<>]*+))"
    rf"|<(?={_SCHEME}[^\s<>]*+>)"
    r"|\[[ ]?+(?P<bracket>/?+(?:inst|(?-i:SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT)))[ ]?+\]",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(r"//|\\\\|(?:data|javascript|vbscript|mailto|file|blob):", re.IGNORECASE)
#: An opened image, the end of a paragraph, and what may make a link of the text in brackets before it. A destination
#: may be escaped or hold character references, so that any `:` or `&` in it may be a scheme.
_LINK = re.compile(
    r"(?P<image>!\[)|(?P<paragraph>\n[ \t]*+\n)|\](?P<target>[(:])"
    r"(?P<elsewhere>(?=\s*+(?:<|[/\\]{2}|[^\s()<>:&]*+[:&])))?+"
)
_ROLES = (
    r"(?:system(?:[ ](?:prompt|message|instructions?))?+|assistant|human|user|developer|ai|sistema|assistente|"
    r"usu[aá]rio|humano|desenvolvedor|(?:prompt|mensagem)[ ]do[ ]sistema"
    # Elsewhere these are ordinary words; only as headings they divide a prompt.
    r"|(?<=\#[ ])(?:instructions?|response|input|instruç(?:ão|ões)|resposta|entrada))"
)
_ROLE = re.compile(
    rf"((?:\A|[{_BREAK}›>])[^\w{_BREAK}›>]*+{_ROLES}"
    rf"(?:[ \t]*+\([^(){_BREAK}]{{0,40}}+\))?+[ \t*_)\]\"'`”’]*+)[:：]",
    re.IGNORECASE,
)


def _heading_expression(words: tuple[BlockLabels, ...]) -> re.Pattern[str]:
    """Match the place before a line that is one of our headings; a file's heading and a notice go on after that."""
    prefixes = {*(each.context.strip() for each in words), *NOTICES.values()}
    whole = set(HEADINGS) - prefixes
    return re.compile(
        rf"((?:\A|[{_BREAK}])[^\S{_BREAK}]*+)"
        rf"(?=(?:{'|'.join(map(re.escape, sorted(prefixes)))})"
        rf"|(?:{'|'.join(map(re.escape, sorted(whole)))})[^\S{_BREAK}]*+(?:[{_BREAK}]|\Z))",
        re.IGNORECASE,
    )


_HEADING = _heading_expression(all_words())
_SEPARATOR = re.compile(r"((?:\A|\n[ \t]*+\n)[ \t]*+)(?=---[ \t]*+(?:\Z|\n[ \t]*+(?:\n|\Z)))")


def neutralize(text: str) -> str:
    """Return the text with nothing in it that a model or a renderer could take for markup of its own."""
    inert = _neutralize_links(_TAG.sub(_neutralize_tag, text))
    inert = _ROLE.sub(_neutralize_role, inert)
    return _SEPARATOR.sub(r"\1\\", _HEADING.sub(r"\1\\", inert))


def _neutralize_tag(found: re.Match[str]) -> str:
    groups = found.groupdict()
    if name := groups["bracket"]:
        return f"({name})"
    if groups["attributes"] is not None and not _ELSEWHERE.search(groups["attributes"]):
        return found.group()
    return found.group().replace("<", "‹").replace(">", "›")


def _neutralize_links(text: str) -> str:
    parts: list[str] = []
    end = 0
    image = False
    for found in _LINK.finditer(text):
        if found["image"]:
            image = True
        elif found["paragraph"]:
            image = False
        else:
            inline_image = image and found["target"] == "("
            if found["elsewhere"] is not None or inline_image:
                parts += (text[end : found.start("target")], " ")
                end = found.start("target")
            image = image and not inline_image
    return "".join([*parts, text[end:]])


def _neutralize_role(found: re.Match[str]) -> str:
    following = found.string[found.end() : found.end() + 1]
    gap = " " if following and not following.isspace() and following not in "*_" else ""
    return f"{found[1].rstrip()} –{gap}"

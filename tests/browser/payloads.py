"""Texts that would run as a script wherever somebody forgot to escape them."""

from itertools import product

#: What each of them does if it runs.
DEED = "window.hit=1"
_TAGS = (
    "<script>{}</script>",
    "<img src=x onerror={}>",
    "<svg onload={}>",
    "<svg><script>{}</script></svg>",
    "<body onload={}>",
    "<iframe srcdoc='<script>parent.{}</script>'></iframe>",
    "<iframe src=javascript:parent.{}></iframe>",
    "<a href=javascript:{}>here</a>",
    "<form action=javascript:{}><button>go</button></form>",
    "<input autofocus onfocus={}>",
    "<details open ontoggle={}>x</details>",
    "<video><source onerror={}></video>",
    "<math><mtext><img src=x onerror={}></mtext></math>",
    "<object data=javascript:{}></object>",
    "<embed src=javascript:{}>",
    "<style onload={}></style>",
    "<marquee onstart={}>x</marquee>",
    "<template><script>{}</script></template><script>{}</script>",
    "[here](javascript:{})",
    '![x](x"onerror="{})',
    "<noscript><p title='</noscript><img src=x onerror={}>'>",
    "{{{{constructor.constructor('{}')()}}}}",
)
#: Out of an attribute, of a comment, of a block of code, or as they are.
_AROUND = ("{}", "\"'>{}", "--><!-- -->{}", "```\n</code></pre>{}\n```", "**{}** and so on")
PAYLOADS = tuple(around.format(tag.format(DEED, DEED)) for tag, around in product(_TAGS, _AROUND))

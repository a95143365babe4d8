/** Setup snippets for clients, with this server's address. */

export const PROXY_CLIENTS = ["openai", "anthropic", "ollama", "openaiPython"] as const;
export const API_CLIENTS = ["curl", "python"] as const;
export type Client = (typeof PROXY_CLIENTS)[number] | (typeof API_CLIENTS)[number];

export function clientSnippet(client: Client, origin: string): string {
  switch (client) {
    case "openai":
      return `export OPENAI_BASE_URL=${origin}/v1`;
    case "anthropic":
      return `export ANTHROPIC_BASE_URL=${origin}`;
    case "ollama":
      return `export OLLAMA_HOST=${origin}/v1`;
    case "openaiPython":
      return [
        "from openai import OpenAI",
        "",
        `client = OpenAI(base_url="${origin}/v1")`,
        "answer = client.chat.completions.create(",
        '    model="gpt-5-mini",',
        '    messages=[{"role": "user", "content": "What can I cook tonight?"}],',
        ")",
      ].join("\n");
    case "curl":
      return [
        "export RECOLLECT_TOKEN=$(recollect tokens own)",
        `curl ${origin}/api/memory/search \\`,
        '  -H "Authorization: Bearer $RECOLLECT_TOKEN" -H "Content-Type: application/json" \\',
        '  -d \'{"query": "What can I cook?"}\'',
        `curl ${origin}/api/memory \\`,
        '  -H "Authorization: Bearer $RECOLLECT_TOKEN" -H "Content-Type: application/json" \\',
        '  -d \'{"content": "I am vegetarian."}\'',
      ].join("\n");
    case "python":
      return [
        "from recollect import Memory",
        "",
        "with Memory() as memory:",
        '    memory.add("I am vegetarian.")',
        '    print(memory.context("What can I cook?").text)',
      ].join("\n");
  }
}

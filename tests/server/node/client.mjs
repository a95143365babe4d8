// Asks the proxy everything that OpenAI's own client for Node can ask, and prints what came of it.
import OpenAI from "openai";

const [baseURL, apiKey] = process.argv.slice(2);
const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
const question = "What is my dog called?";
const tools = [{ type: "function", function: { name: "lookup", parameters: { type: "object", properties: {} } } }];
const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
const schema = { name: "dog", schema: { type: "object", properties: { name: { type: "string" } } } };
const found = {};

const chat = (more) => client.chat.completions.create({ model: "echo", messages: [{ role: "user", content: question }], ...more });

const { data, response } = await chat({}).withResponse();
found.chat = [data.choices[0].message.content, Number(response.headers.get("x-memory-used")) > 0];

found.stream = "";
for await (const chunk of await chat({ stream: true, stream_options: { include_usage: true } })) {
  found.stream += chunk.choices[0]?.delta?.content ?? "";
}

const helper = client.chat.completions.stream({ model: "echo", messages: [{ role: "user", content: question }] });
found.helper = (await helper.finalChatCompletion()).choices[0].message.content;

found.image = (await chat({ messages: [{ role: "user", content: [{ type: "text", text: question }, image] }] })).choices.length;
found.structured = (await chat({ response_format: { type: "json_schema", json_schema: schema } })).choices.length;
const called = (await chat({ tools })).choices[0];
found.tool = [called.finish_reason, called.message.tool_calls[0].function.name];

const kept = client.responses.stream({ model: "echo", input: question });
found.responses = (await kept.finalResponse()).output_text;

found.models = (await client.models.list()).data.length;
found.vectors = (await client.embeddings.create({ model: "letters", input: "dog", encoding_format: "float" })).data[0].embedding.length;
try {
  await client.chat.completions.create({ model: "echo", messages: "none" });
} catch (error) {
  found.error = error.status;
}
console.log(JSON.stringify(found));

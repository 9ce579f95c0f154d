// Anthropic's official JavaScript client through the proxy. Usage: node anthropic_client.mjs URL KEY
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(process.env.OPENAI_PACKAGES + "/");
const { default: Anthropic } = await import(pathToFileURL(require.resolve("@anthropic-ai/sdk")).href);

const [url, key] = process.argv.slice(2);
const open = (apiKey) => new Anthropic({
  baseURL: url, apiKey, maxRetries: 0, defaultHeaders: { "X-Memory-User": "anthropic-js", "X-Memory-Session": "s-1" },
});
const ai = open(key);
const tools = [{ name: "book", input_schema: { type: "object", properties: { at: { type: "integer" } } } }];
const user = (content) => ({ role: "user", content });
const body = (messages, more) => ({ model: "m-1", max_tokens: 100, system: "Be kind.", messages, ...more });
const ask = (text, more, options) => ai.messages.create(body([user(text)], more), options);
const stream = (text, more) => ai.messages.stream(body([user(text)], more));
const texts = (message) => message.content.filter((b) => b.type === "text").map((b) => b.text);

// Whole and streamed: tags are gone, usage is there.
const whole = await ask("tags");
assert.deepEqual([texts(whole), whole.usage.output_tokens], [["Noted. Anything else?"], 3]);
const pieces = [];
const streamed = await stream("tags").on("text", (piece) => pieces.push(piece)).finalMessage();
assert.deepEqual([texts(streamed), streamed.usage.output_tokens, streamed.stop_reason], [["Noted. Anything else?"], 3, "end_turn"]);
assert.ok(pieces.length > 1, String(pieces));

// The client's own tool, with the client's own accumulation, and what comes of it.
const first = await stream("tool", { tools }).finalMessage();
const call = first.content.at(-1);
assert.deepEqual([first.stop_reason, call.name, call.input], ["tool_use", "book", { at: 10 }]);
const final = await ai.messages.create(body([
  user("tool"), { role: "assistant", content: first.content }, user([{ type: "tool_result", tool_use_id: call.id, content: "ok" }]),
], { tools }));
assert.deepEqual(texts(final), ["Booked."]);

// The proxy's tool: one message, and nothing of the call.
const recalled = await stream("recall", { tools }).finalMessage();
assert.deepEqual([texts(recalled), recalled.content.length], [["Let me see.", "It was Friday."], 2]);

// Errors: of the upstream, in the middle of a stream, and of the proxy.
for (const [status, kind] of [
  [400, Anthropic.BadRequestError], [401, Anthropic.AuthenticationError], [429, Anthropic.RateLimitError], [500, Anthropic.InternalServerError],
]) {
  await assert.rejects(ask(`fail ${status}`, { stream: status === 429 }), (e) => {
    assert.ok(e instanceof kind, String(e));
    assert.deepEqual([e.status, e.headers.get("retry-after")], [status, "7"]);
    return true;
  });
}
await assert.rejects(stream("break").finalMessage(), /broke off/);
await assert.rejects(open("wrong").models.list(), (e) => e instanceof Anthropic.AuthenticationError && e.error.error.type === "authentication_error");
assert.deepEqual((await ai.models.list()).data.map((m) => m.id), ["m-1"]);
assert.equal((await ai.messages.countTokens({ model: "m-1", messages: [user("Hi")] })).input_tokens, 9);

// A client that goes away in the middle.
for await (const event of await ask("hang", { stream: true })) {
  if (event.type === "content_block_delta") break; // which aborts the request
}
await assert.rejects(ask("hang", {}, { timeout: 1000 }), Anthropic.APIConnectionTimeoutError);
console.log("anthropic's javascript: as the wire has it");

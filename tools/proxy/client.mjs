// OpenAI's official JavaScript client through the proxy. Usage: node client.mjs URL KEY
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(process.env.OPENAI_PACKAGES + "/");
const { default: OpenAI } = await import(pathToFileURL(require.resolve("openai")).href);

const [url, key] = process.argv.slice(2);
const open = (apiKey) => new OpenAI({
  baseURL: url + "/v1", apiKey, maxRetries: 0, defaultHeaders: { "X-Memory-User": "js", "X-Memory-Session": "s-1" },
});
const ai = open(key);
const tools = [{ type: "function", function: { name: "book", parameters: { type: "object", properties: { at: { type: "integer" } } } } }];
const body = (text, more) => ({ model: "m-1", messages: [{ role: "system", content: "Be kind." }, { role: "user", content: text }], ...more });
const said = async (stream) => {
  let out = "";
  for await (const chunk of stream) out += chunk.choices[0]?.delta?.content ?? "";
  return out;
};

// Whole and streamed: tags are gone, usage is there.
const whole = await ai.chat.completions.create(body("tags"));
assert.equal(whole.choices[0].message.content, "Noted. Anything else?");
assert.equal(whole.usage.total_tokens, 12);
assert.equal(await said(await ai.chat.completions.create(body("tags", { stream: true }))), "Noted. Anything else?");

// The client's own tool, with the client's own accumulation.
const first = await ai.chat.completions.stream(body("tool", { tools })).finalChatCompletion();
const call = first.choices[0].message.tool_calls[0];
assert.deepEqual([first.choices[0].finish_reason, call.function.name, call.function.arguments], ["tool_calls", "book", '{"at":10}']);
const final = await ai.chat.completions.create({
  model: "m-1", tools, messages: [{ role: "user", content: "tool" },
    { role: "assistant", content: first.choices[0].message.content, tool_calls: [{ id: call.id, type: "function", function: { name: "book", arguments: call.function.arguments } }] },
    { role: "tool", tool_call_id: call.id, content: "ok" }],
});
assert.equal(final.choices[0].message.content, "Booked.");

// The proxy's tool: one answer, and nothing of the call.
const recalled = (await ai.chat.completions.stream(body("recall", { tools })).finalChatCompletion()).choices[0].message;
assert.deepEqual([recalled.content, recalled.role, recalled.tool_calls ?? []], ["Let me see.\n\nIt was Friday.", "assistant", []]);

// Errors: of the upstream, in the middle of a stream, and of the proxy.
for (const [status, kind] of [[400, OpenAI.BadRequestError], [401, OpenAI.AuthenticationError], [429, OpenAI.RateLimitError], [500, OpenAI.InternalServerError]]) {
  await assert.rejects(ai.chat.completions.create(body(`fail ${status}`, { stream: status === 429 })), (e) => {
    assert.ok(e instanceof kind, String(e));
    assert.deepEqual([e.status, e.error.message, e.headers.get("retry-after")], [status, "no", "7"]);
    assert.ok(e.requestID);
    return true;
  });
}
await assert.rejects(async () => said(await ai.chat.completions.create(body("break", { stream: true }))), /broke off/);
await assert.rejects(open("wrong").models.list(), (e) => e instanceof OpenAI.AuthenticationError && e.code === "invalid_api_key");
assert.deepEqual((await ai.models.list()).data.map((m) => m.id), ["m-1"]);

// A client that goes away in the middle.
const stream = await ai.chat.completions.create(body("hang", { stream: true }));
for await (const chunk of stream) {
  if (chunk.choices[0].delta.content) break; // which aborts the request
}
await assert.rejects(ai.chat.completions.create(body("hang"), { timeout: 1000 }), OpenAI.APIConnectionTimeoutError);
console.log("javascript: as the wire has it");

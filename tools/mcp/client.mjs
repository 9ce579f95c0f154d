// The official TypeScript client of MCP against Recaller: H's protocol over HTTP and over standard input and output.
// Usage: node client.mjs URL KEY COMMAND… (the command speaks MCP on its standard input and output).
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(process.env.MCP_PACKAGES + "/");
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");
const { StreamableHTTPClientTransport } = await load("@modelcontextprotocol/sdk/client/streamableHttp.js");
const { StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js");

async function protocol(transport, phoneNumber, summary) {
  const client = new Client({ name: "recaller-test", version: "1" });
  await client.connect(transport);
  const { tools } = await client.listTools(); // from here on answers are held against the tools' schemas
  assert.ok(tools.length >= 8, String(tools.length));
  assert.equal((await client.listPrompts()).prompts.length, 3);
  const call = async (name, args) => {
    const res = await client.callTool({ name, arguments: args });
    const text = JSON.parse(res.content[0].text);
    if (!res.isError) assert.deepEqual(res.structuredContent, text);
    return [res.isError === true, text];
  };
  const none = { found: false, message: "No previous conversation found within 72 hours" };
  assert.deepEqual(await call("read_agent_memory", { phoneNumber }), [false, none]);
  const staging = { address: "742 Evergreen Terrace", issue: "leaking pipes" };
  const [, saved] = await call("update_agent_memory",
    { phoneNumber, summary, intent: "job_creation", stagingData: JSON.stringify(staging) });
  assert.equal(saved.success, true);
  const [, found] = await call("read_agent_memory", { phoneNumber });
  assert.equal(found.summary, summary);
  assert.deepEqual(found.stagingData, staging);
  assert.deepEqual(await call("update_agent_memory", { phoneNumber, summary, stagingData: "{no" }),
    [true, { error: "Invalid JSON in stagingData parameter" }]);
  await call("get_briefing", { phoneNumber });
  await call("recall", { phoneNumber, query: "leak" });
  await call("log_turns", { phoneNumber, turns: [{ speaker: "user", text: "The pipes leak." }], ended: "completed" });
  await call("update_agent_memory", { phoneNumber, summary: "Job created", intent: "completed" });
  assert.deepEqual(await call("read_agent_memory", { phoneNumber }), [false, none]);
  await client.close();
}

const [url, key, command, ...args] = process.argv.slice(2);
await protocol(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${key}` } } }),
  "+1-555-0197", "A leak under the sink");
console.log("typescript over HTTP: as H has it");
await protocol(new StdioClientTransport({ command, args, env: process.env }), "+1-555-0196", "A leak under the roof");
console.log("typescript over stdio: as H has it");

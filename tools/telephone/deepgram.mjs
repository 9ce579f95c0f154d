// Deepgram's official library as the client of our fakes. Usage: node deepgram.mjs AGENT LISTEN FLUX, with what we send on stdin:
// {"agent": [message ...], "listen": [...], "flux": [...], "queries": {"listen": "...", "flux": "..."}}
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const packages = process.env.DEEPGRAM_PACKAGES;
const { DeepgramClient } = createRequire(packages + "/")("@deepgram/sdk");
const [agentURL, listenURL, fluxURL] = process.argv.slice(2);
const ours = JSON.parse(readFileSync(0, "utf8"));

// What is checked against the library's types: its name, and a value.
const checked = [];
const names = { FunctionCallResponse: "SendFunctionCallResponse" };
const check = (api, m) => checked.push([api + (names[m.type] ?? m.type), m]);
const loud = new Uint8Array(160).fill(51), quiet = new Uint8Array(160).fill(0xff);

// hear opens a socket of the library's, and collects what comes until it has all of these types.
async function hear(api, socket, until, answer = () => {}) {
  const got = {};
  const all = new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${api}: of ${until} came ${JSON.stringify(got)}`)), 20_000);
    socket.on("error", reject);
    socket.on("message", (m) => {
      if (!m.type) { // binary
        got.audio = (got.audio ?? 0) + 1;
      } else {
        got[m.type] = (got[m.type] ?? 0) + 1;
        check(api, m);
        answer(m);
      }
      if (until.every((name) => got[name])) { clearTimeout(timer); resolve(); }
    });
  });
  socket.connect();
  await socket.waitForOpen();
  return { got, all };
}

const client = (url) => new DeepgramClient({ apiKey: "k", baseUrl: url.replace("http", "ws") });
const quick = { Authorization: "Token k", reconnectAttempts: 0 };
const say = (socket) => {
  for (let i = 0; i < 120; i++) socket.sendMedia(i < 40 ? loud : quiet);
};

// The agent: all that we send goes through the library's own methods.
{
  const socket = await client(agentURL).agent.v1.connect(quick);
  const result = ours.agent.find((m) => m.type === "FunctionCallResponse");
  const { all } = await hear("Deepgram.agent.AgentV1", socket, [
    "Welcome", "SettingsApplied", "UserStartedSpeaking", "ConversationText", "AgentThinking", "AgentStartedSpeaking",
    "AgentAudioDone", "FunctionCallRequest", "FunctionCallCancelled", "PromptUpdated", "InjectionRefused", "Error", "audio",
  ], (m) => {
    if (m.type === "FunctionCallRequest") {
      const [f] = m.functions;
      socket.sendFunctionCallResponse({ ...result, id: f.id, name: f.name });
    }
    if (m.type === "SettingsApplied") {
      say(socket);
      for (const sent of ours.agent) {
        check("Deepgram.agent.AgentV1", sent);
        if (["Settings", "FunctionCallResponse"].includes(sent.type)) continue;
        socket["send" + sent.type](sent);
      }
    }
    if (m.type === "AgentAudioDone") {
      say(socket);
      socket.sendInjectUserMessage({ type: "InjectUserMessage", content: "now?" });
      socket.sendFunctionCallResponse({ ...result, id: "none" }); // an error
    }
  });
  socket.sendSettings(ours.agent.find((m) => m.type === "Settings"));
  await all;
  socket.close();
}

// The recognisers: what we ask for is what the library can ask for.
const typed = (query) => Object.fromEntries([...new URLSearchParams(query)].map(([k, v]) => [k, /^\d+$/.test(v) ? Number(v) : v]));
async function recognise(version, url, api, query, control, until) {
  const args = typed(query);
  checked.push([`Parameters<DeepgramClient["listen"]["${version}"]["connect"]>[0]`, { ...args, ...quick }]);
  const socket = await client(url).listen[version].connect({ ...args, ...quick });
  const { all } = await hear(api, socket, until);
  say(socket);
  for (const sent of control) {
    check(api, sent);
    socket["send" + sent.type](sent);
  }
  await all;
  socket.close();
}
await recognise("v1", listenURL, "Deepgram.listen.ListenV1", ours.queries.listen, ours.listen, ["Results", "Metadata", "UtteranceEnd"]);
await recognise("v2", fluxURL, "Deepgram.listen.ListenV2", ours.queries.flux, ours.flux, ["Connected", "TurnInfo"]);

// The types of all that was sent, either way.
const folder = mkdtempSync(join(packages, "check-"));
try {
  const lines = checked.map(([type, m], i) => `export const m${i}: ${type} = ${JSON.stringify(m)};`);
  const file = join(folder, "sent.ts");
  writeFileSync(file, `import type { Deepgram, DeepgramClient } from "@deepgram/sdk";\n${lines.join("\n")}\n`);
  const flags = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2022", "--types", "node"];
  execFileSync(process.execPath, [join(packages, "node_modules/typescript/bin/tsc"), ...flags, file], { cwd: packages, stdio: "pipe" });
} catch (e) {
  assert.fail(String(e.stdout || e));
} finally {
  rmSync(folder, { recursive: true });
}
console.log(`Deepgram's library: ${checked.length} messages of ${new Set(checked.map(([t]) => t)).size} types are as it has them`);

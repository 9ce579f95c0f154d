// Twilio's official library as the platform that calls. Usage: node twilio.mjs SERVER PUBLIC TOKEN NUMBER FORWARD_TO
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { randomInt } from "node:crypto";

const require = createRequire(process.env.TWILIO_PACKAGES + "/");
const twilio = require("twilio");

const [server, address, token, number, forwardTo] = process.argv.slice(2);
const voice = "/webhook/voice", ended = "/webhook/call-ended";
const caller = "+15550001111";
const signs = twilio;

// A form as Twilio may send one: more fields than anybody knows, in all scripts, empty ones, and some more than once.
const words = ["", " ", "JOSÉ Q", "a&b=c", "名前", "100%", "+", "\u{1F600}", "a\nb"];
function form(id) {
  const f = {
    CallSid: id, AccountSid: "AC1", From: caller, To: number, CallStatus: "ringing", Direction: "inbound", FromCity: "",
  };
  for (let i = randomInt(6); i > 0; i--) {
    const name = "New" + String.fromCharCode(65 + randomInt(26)) + words[randomInt(words.length)];
    const values = Array.from({ length: 1 + randomInt(3) }, () => words[randomInt(words.length)]);
    f[name] = values.length > 1 ? values : values[0];
  }
  return f;
}

async function post(target, f, signature) {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(f)) for (const v of [value].flat()) body.append(name, v);
  const res = await fetch(server + target, { method: "POST", body, headers: { "X-Twilio-Signature": signature } });
  return { status: res.status, text: await res.text() };
}

// 250 calls, each told twice at once, and 500 webhooks that are not Twilio's.
const calls = Array.from({ length: 250 }, (_, i) => "CA" + String(i).padStart(32, "0"));
let forged = 0;
for (let from = 0; from < calls.length; from += 10) {
  await Promise.all(calls.slice(from, from + 10).flatMap((id, i) => {
    const f = form(id);
    const target = voice + ["", "?tenant=t1", "?a=1&b=%C3%A9"][i % 3];
    const port = i % 2 ? ":443" : "";
    const signature = signs.getExpectedTwilioSignature(token, address + port + target, f);
    assert.ok(signs.validateRequest(token, signature, address + target, f));
    const bad = [
      () => post(target, { ...f, From: "+15550009999" }, signature),
      () => post(target, f, signs.getExpectedTwilioSignature(token + "x", address + target, f)),
      () => post(ended, f, signature),
      () => post(target, { ...f, More: "" }, signature),
    ];
    return [
      post(target, f, signature).then((r) => assert.equal(r.status, 200, r.text)),
      post(target, f, signature).then((r) => assert.equal(r.status, 200, r.text)),
      ...[0, 1].map((n) => bad[(i + n) % bad.length]().then((r) => { assert.equal(r.status, 403, r.text); forged++; })),
    ];
  }));
}
assert.equal(forged, 500);

// What we answer is what Twilio's own library writes.
const f = form("CAtwiml");
const { text } = await post(voice, f, signs.getExpectedTwilioSignature(token, address + voice, f));
const want = new twilio.twiml.VoiceResponse();
want.dial({ action: address + ended + "?after=dial", method: "POST", answerOnBridge: true }).number(forwardTo);
const same = (xml) => xml.replace(/\?>\s*/, "?>").replace(/<(\w+)([^>]*)><\/\1>/g, "<$1$2/>");
assert.equal(same(text), same(want.toString()));
const over = { ...f, CallStatus: "in-progress", DialCallStatus: "busy" };
const after = await post(ended + "?after=dial", over, signs.getExpectedTwilioSignature(token, address + ended + "?after=dial", over));
const sorry = new twilio.twiml.VoiceResponse();
sorry.say({ language: "en-US" }, "Sorry, nobody answered. Please try again later. Goodbye.");
sorry.hangup();
assert.equal(same(after.text), same(sorry.toString()));

// A body of JSON is known by its hash: one that is Twilio's is told that it is no form.
const body = JSON.stringify({ a: 1, b: "é" });
const target = voice + "?bodySHA256=" + signs.getExpectedBodyHash(body);
const signature = signs.getExpectedTwilioSignature(token, address + target, {});
for (const [sent, status] of [[body, 415], [body + " ", 403]]) {
  const res = await fetch(server + target, {
    method: "POST", body: sent, headers: { "X-Twilio-Signature": signature, "Content-Type": "application/json" },
  });
  assert.equal(res.status, status);
}
console.log("Twilio's library: 250 calls told twice, 500 forged webhooks, TwiML and JSON as it has them");

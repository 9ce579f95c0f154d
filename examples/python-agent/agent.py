"""An agent with a memory, in sixty lines: any OpenAI-compatible model, and Recaller's HTTP API. Type; Ctrl-D ends the call."""
import json, os, sys, urllib.error, urllib.request

RECALLER = os.environ.get("RECALLER", "http://127.0.0.1:8787")
KEY = os.environ["KEY"]
MODEL_URL = os.environ.get("MODEL_URL", "https://api.openai.com/v1")
MODEL = os.environ.get("MODEL", "gpt-4.1-mini")


def ask(url, key, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Authorization": "Bearer " + key, "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def recaller(path, body=None):
    return ask(RECALLER + path, KEY, body)


def answer(call, said, tools):
    """Asks the model, and carries out what it calls, until it has said what it says."""
    briefing = recaller(f"/v1/conversations/{call}/briefing")["text"]  # anew: what was stored a moment ago is in it
    messages = [{"role": "system", "content": briefing}] + said
    for _ in range(4):
        body = {"model": MODEL, "messages": messages, "tools": tools}
        message = ask(MODEL_URL + "/chat/completions", os.environ.get("MODEL_KEY", "none"), body)["choices"][0]["message"]
        if not message.get("tool_calls"):
            return message["content"]
        messages.append(message)
        for asked in message["tool_calls"]:
            try:
                done = recaller("/tools/call", {"callSessionId": call, "call_id": asked["id"], **asked["function"]})
            except urllib.error.HTTPError as refused:  # it says what is wrong, so that the model can mend it
                done = json.load(refused)
            print("  memory:", asked["function"]["name"], "" if done["success"] else done["error"])
            messages.append({"role": "tool", "tool_call_id": asked["id"], "content": json.dumps(done)})
    return "I am sorry, that is too much at once."


def main(phone):
    begun = recaller("/v1/conversations", {"caller": {"phone": phone}, "channel": "web-chat"})
    call, who = begun["conversation"]["id"], begun["caller"]
    print("A caller who is new." if who["first_time"] else f"Known: {who.get('name') or phone}.")
    tools, said = recaller("/tools")["openai_chat"], []
    for line in filter(None, map(str.strip, sys.stdin)):
        said.append({"role": "user", "content": line})
        recaller(f"/v1/conversations/{call}/turns", {"turns": [{"speaker": "user", "text": line}]})
        reply = answer(call, said, tools)
        said.append({"role": "assistant", "content": reply})
        recaller(f"/v1/conversations/{call}/turns", {"turns": [{"speaker": "assistant", "text": reply}]})
        print("agent:", reply)
    recaller(f"/v1/conversations/{call}/end", {"status": "completed"})


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "+15550100142")

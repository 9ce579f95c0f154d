"""A model that is none: OpenAI's chat completions by a few rules, so that the examples run without a provider.

It stores what it is told if it has the tool for that, quotes what it was told about memory, and says so.
Run it with a port: python3 stub_model.py 9797
"""
import json, re, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def text_of(message):
    content = message.get("content") or ""
    return content if isinstance(content, str) else " ".join(p.get("text", "") for p in content)


def think(body):
    """Returns what to say, and the function to call."""
    messages = body["messages"]
    said = next((text_of(m) for m in reversed(messages) if m["role"] == "user"), "")
    told = "\n".join(text_of(m) for m in messages if m["role"] in ("system", "developer"))
    names = [t["function"]["name"] for t in body.get("tools") or [] if t.get("type") == "function"]
    if messages[-1]["role"] != "tool" and "store_memory" in names and re.search(r"\bmy\b", said, re.I) and "?" not in said:
        key = "_".join(re.findall(r"[a-z]{4,}", said.lower())[:3]) or "told"
        return None, ("store_memory", {"memory_type": "fact", "key": key, "value": said})
    asked = set(re.findall(r"[a-z]{4,}", said.lower()))
    known = [line.strip("- ") for line in told.splitlines() if asked & set(re.findall(r"[a-z]{4,}", line.lower()))]
    if "?" in said and known:
        return "I was told: " + max(known, key=lambda l: len(asked & set(re.findall(r"[a-z]{4,}", l.lower())))), None
    return ("I do not know that." if "?" in said else "All right."), None


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said, called = think(body)
        message, why = {"role": "assistant", "content": said}, "stop"
        if called:
            function = {"name": called[0], "arguments": json.dumps(called[1])}
            message["tool_calls"], why = [{"index": 0, "id": "call_1", "type": "function", "function": function}], "tool_calls"
        about = {"id": "chatcmpl-1", "created": 1, "model": body.get("model", "stub")}
        self.send_response(200)
        if body.get("stream"):
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for delta, end in ((message, None), ({}, why)):
                choice = {"index": 0, "delta": delta, "finish_reason": end}
                self.wfile.write(f"data: {json.dumps({**about, 'object': 'chat.completion.chunk', 'choices': [choice]})}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")
            return
        answer = {**about, "object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": why}],
                  "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Model).serve_forever()

"""OpenAI's official Python client through the proxy. Usage: client.py URL KEY"""

import sys

import openai

url, key = sys.argv[1:]
ai = openai.OpenAI(base_url=url + "/v1", api_key=key, max_retries=0,
                   default_headers={"X-Memory-User": "py", "X-Memory-Session": "s-1"})
TOOLS = [{"type": "function", "function": {"name": "book", "parameters": {"type": "object", "properties": {"at": {"type": "integer"}}}}}]


def ask(text, **more):
    return ai.chat.completions.create(model="m-1", messages=[{"role": "system", "content": "Be kind."}, {"role": "user", "content": text}], **more)


def said(stream):
    return "".join(c.choices[0].delta.content or "" for c in stream if c.choices)


# Whole and streamed: tags are gone, usage is there.
whole = ask("tags")
assert whole.choices[0].message.content == "Noted. Anything else?", whole
assert whole.usage.total_tokens == 12 and whole.id.startswith("chatcmpl-")
chunks = list(ask("tags", stream=True, stream_options={"include_usage": True}))
assert said(chunks) == "Noted. Anything else?", chunks
assert chunks[-1].usage.total_tokens == 12 and len({c.id for c in chunks}) == 1

# The client's own tool, with the client's own accumulation.
with ai.chat.completions.stream(model="m-1", tools=TOOLS, messages=[{"role": "user", "content": "tool"}]) as events:
    for _ in events:
        pass
    done = events.get_final_completion().choices[0]
call = done.message.tool_calls[0]
assert done.finish_reason == "tool_calls" and call.function.name == "book" and call.function.arguments == '{"at":10}', done
final = ai.chat.completions.create(model="m-1", tools=TOOLS, messages=[
    {"role": "user", "content": "tool"},
    {"role": "assistant", "content": done.message.content, "tool_calls": [call.model_dump(include={"id", "type", "function"})]},
    {"role": "tool", "tool_call_id": call.id, "content": "ok"}])
assert final.choices[0].message.content == "Booked.", final

# The proxy's tool: one answer, and nothing of the call.
with ai.chat.completions.stream(model="m-1", tools=TOOLS, messages=[{"role": "user", "content": "recall"}]) as events:
    for _ in events:
        pass
    done = events.get_final_completion().choices[0]
assert done.message.content == "Let me see.\n\nIt was Friday." and not done.message.tool_calls and done.message.role == "assistant", done

# Errors: of the upstream, in the middle of a stream, and of the proxy.
for status, kind in [(400, openai.BadRequestError), (401, openai.AuthenticationError), (429, openai.RateLimitError), (500, openai.InternalServerError)]:
    try:
        ask(f"fail {status}", stream=status == 429)
        raise SystemExit(f"{status}: no error")
    except kind as e:
        assert e.status_code == status and e.body["message"] == "no" and e.response.headers["retry-after"] == "7" and e.request_id, e
try:
    said(ask("break", stream=True))
    raise SystemExit("no error in the stream")
except openai.APIError as e:
    assert "broke off" in e.message, e
try:
    openai.OpenAI(base_url=url + "/v1", api_key="wrong", max_retries=0).models.list()
    raise SystemExit("no error for a wrong key")
except openai.AuthenticationError as e:
    assert e.code == "invalid_api_key", e
assert [m.id for m in ai.models.list()] == ["m-1"]

# A client that goes away in the middle.
stream = ask("hang", stream=True)
for chunk in stream:
    if chunk.choices[0].delta.content:
        break
stream.close()
try:
    ai.with_options(timeout=1.0).chat.completions.create(model="m-1", messages=[{"role": "user", "content": "hang"}])
    raise SystemExit("no timeout")
except openai.APITimeoutError:
    pass
print("python", openai.__version__, ": as the wire has it")

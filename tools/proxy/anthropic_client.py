"""Anthropic's official Python client through the proxy. Usage: anthropic_client.py URL KEY"""

import sys

import anthropic

url, key = sys.argv[1:]
ai = anthropic.Anthropic(base_url=url, api_key=key, max_retries=0,
                         default_headers={"X-Memory-User": "anthropic-py", "X-Memory-Session": "s-1"})
TOOLS = [{"name": "book", "input_schema": {"type": "object", "properties": {"at": {"type": "integer"}}}}]
FORM = {"model": "m-1", "max_tokens": 100, "system": "Be kind."}


def ask(text, **more):
    return ai.messages.create(messages=[{"role": "user", "content": text}], **FORM, **more)


def stream(messages, **more):
    with ai.messages.stream(messages=messages, **FORM, **more) as events:
        texts = list(events.text_stream)
        return events.get_final_message(), texts


def texts(message):
    return [b.text for b in message.content if b.type == "text"]


# Whole and streamed: tags are gone, usage is there.
whole = ask("tags")
assert texts(whole) == ["Noted. Anything else?"] and whole.usage.output_tokens == 3 and whole.id.startswith("msg_"), whole
done, pieces = stream([{"role": "user", "content": "tags"}])
assert texts(done) == ["Noted. Anything else?"] and done.usage.output_tokens == 3 and done.stop_reason == "end_turn", done
assert len(pieces) > 1, pieces

# The client's own tool, with the client's own accumulation, and what comes of it.
done, _ = stream([{"role": "user", "content": "tool"}], tools=TOOLS)
call = done.content[-1]
assert done.stop_reason == "tool_use" and call.name == "book" and call.input == {"at": 10}, done
final = ai.messages.create(tools=TOOLS, messages=[
    {"role": "user", "content": "tool"}, {"role": "assistant", "content": done.content},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": "ok"}]}], **FORM)
assert texts(final) == ["Booked."], final

# The proxy's tool: one message, and nothing of the call.
done, _ = stream([{"role": "user", "content": "recall"}], tools=TOOLS)
assert texts(done) == ["Let me see.", "It was Friday."] and len(done.content) == 2, done

# Errors: of the upstream, in the middle of a stream, and of the proxy.
for status, kind in [(400, anthropic.BadRequestError), (401, anthropic.AuthenticationError), (429, anthropic.RateLimitError), (500, anthropic.InternalServerError)]:
    try:
        ask(f"fail {status}", stream=status == 429)
        raise SystemExit(f"{status}: no error")
    except kind as e:
        assert e.status_code == status and e.response.headers["retry-after"] == "7", e
try:
    stream([{"role": "user", "content": "break"}])
    raise SystemExit("no error in the stream")
except anthropic.APIStatusError as e:
    assert "broke off" in str(e), e
try:
    anthropic.Anthropic(base_url=url, api_key="wrong", max_retries=0).models.list()
    raise SystemExit("no error for a wrong key")
except anthropic.AuthenticationError as e:
    assert e.body["error"]["type"] == "authentication_error", e
assert [m.id for m in ai.models.list()] == ["m-1"]
assert ai.messages.count_tokens(model="m-1", messages=[{"role": "user", "content": "Hi"}]).input_tokens == 9

# A client that goes away in the middle.
for event in ask("hang", stream=True):
    if event.type == "content_block_delta":
        break
ai.close()
ai = anthropic.Anthropic(base_url=url, api_key=key, max_retries=0, timeout=1.0, default_headers={"X-Memory-User": "anthropic-py", "X-Memory-Session": "s-1"})
try:
    ask("hang")
    raise SystemExit("no timeout")
except anthropic.APITimeoutError:
    pass
print("anthropic's python", anthropic.__version__, ": as the wire has it")

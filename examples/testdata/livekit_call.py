"""Has the example's agent lead two calls in LiveKit's own session, by text: what it is told, and what is kept."""
import asyncio, sys, pathlib

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "livekit"))
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))

import agent as example
from livekit.agents import AgentSession, llm
from memory import Call
from stub_model import think


class Model(llm.LLM):
    """The model that is none. It tells what it was told."""

    def chat(self, *, chat_ctx, tools=None, conn_options=None, **_):
        return Answer(self, chat_ctx=chat_ctx, tools=tools or [], conn_options=conn_options)


class Answer(llm.LLMStream):
    async def _run(self):
        messages = [{"role": m.role, "content": m.text_content or ""} for m in self._chat_ctx.items if m.type == "message"]
        said, _ = think({"messages": messages})
        self._event_ch.send_nowait(llm.ChatChunk(id="1", delta=llm.ChoiceDelta(role="assistant", content=said)))

Call.deadline = 10  # a busy machine is no outage


async def lead(call_id, *lines):
    call = await Call().begin({"phone": "+15550004444"}, call_id, within=10)
    print("returning" if "returning caller" in call.briefing else "new")
    receptionist = example.Receptionist(call)
    async with AgentSession(llm=Model()) as session:
        example.keep(session, call)
        await session.start(agent=receptionist)
        for line in lines:
            turn = receptionist.chat_ctx.copy()
            await receptionist.on_user_turn_completed(turn, llm.ChatMessage(role="user", content=[line]))
            notes = [m.text_content for m in turn.items if m.type == "message" and m.role == "system" and "said or was told" in m.text_content]
            print("note:", notes[-1].splitlines()[1] if notes else "none")
            await session.run(user_input=line)
    call.keep("assistant", "I will have a l", interrupted=True)
    await call.end()
    await call.end()  # a second time does nothing


asyncio.run(lead("RM1", "My greyhound is called Bruno."))
asyncio.run(lead("RM2", "What is my greyhound called?"))

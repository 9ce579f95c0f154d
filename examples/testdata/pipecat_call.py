"""Has the example's processor run in Pipecat's own pipeline: what the model is told, and what is kept."""
import asyncio, sys, pathlib

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "pipecat"))

from remember import Remember, keep
from memory import Call
from pipecat.frames.frames import LLMContextFrame
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import (
    AssistantTurnStoppedMessage, LLMContextAggregatorPair, UserTurnStoppedMessage)
from pipecat.tests.utils import run_test

Call.deadline = 10  # a busy machine is no outage


async def lead(call_id, line):
    call = await Call().begin({"phone": "+15550005555"}, call_id, within=10)
    print("returning" if "returning caller" in call.briefing else "new")
    context = LLMContext([{"role": "system", "content": "You are a receptionist.\n\n" + call.briefing}])
    pair = LLMContextAggregatorPair(context)
    keep(pair, call)
    context.add_message({"role": "user", "content": line})
    await pair.user()._call_event_handler("on_user_turn_stopped", None, UserTurnStoppedMessage(content=line, timestamp="now"))
    down, _ = await run_test(Remember(call), frames_to_send=[LLMContextFrame(context), LLMContextFrame(context)])
    told = [m for m in down[-1].context.get_messages() if "said or was told" in m["content"]]
    print("notes:", len(told), told[0]["content"].splitlines()[1] if told else "none")
    print("last:", down[-1].context.get_messages()[-1]["content"])


async def main():
    await lead("PC1", "My boiler is twelve years old.")
    await lead("PC2", "How old is my boiler?")
    call = await Call().begin({"phone": "+15550005555"}, "PC3", within=10)
    pair = LLMContextAggregatorPair(LLMContext([]))
    keep(pair, call)
    stopped = AssistantTurnStoppedMessage(content="Twelve ye", interrupted=True, timestamp="now")
    await pair.assistant()._call_event_handler("on_assistant_turn_stopped", stopped)
    await asyncio.sleep(0.2)  # handlers run beside
    await call.end()


asyncio.run(main())

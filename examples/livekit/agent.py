"""An agent at LiveKit that remembers who calls: `python3 agent.py dev`."""
import sys, pathlib

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))  # where memory.py is; or copy it here

from livekit.agents import Agent, AgentSession, JobContext
from memory import Call

INSTRUCTIONS = "You are the receptionist of Lakeside Golf, on the telephone. Be brief."


class Receptionist(Agent):
    def __init__(self, call: Call):
        super().__init__(instructions=INSTRUCTIONS + "\n\n" + call.briefing)
        self._call = call

    async def on_enter(self):
        self.session.generate_reply()  # greets, by what the briefing says of the caller

    async def on_user_turn_completed(self, turn_ctx, new_message):
        note = await self._call.recall(new_message.text_content)  # it delays the reply: 0.3 s at most
        if note:
            turn_ctx.add_message(role="system", content=note)  # for this reply only


def keep(session, call: Call):
    """Keeps both sides as they were heard: of what was spoken over, LiveKit has the part that was played."""
    @session.on("conversation_item_added")
    def added(event):
        item = event.item
        if item.type == "message" and item.role in ("user", "assistant") and item.text_content:
            call.keep(item.role, item.text_content, item.interrupted)


async def entrypoint(ctx: JobContext):
    await ctx.connect()
    who = await ctx.wait_for_participant()
    number = who.attributes.get("sip.phoneNumber")  # none where it is hidden, or where nobody telephones
    caller = {"phone": number} if number else {"external_id": who.identity}
    call = await Call().begin(caller, who.attributes.get("sip.callID") or ctx.room.name)
    ctx.add_shutdown_callback(call.end)
    session = AgentSession(stt="deepgram/nova-3", llm="openai/gpt-4.1-mini", tts="cartesia/sonic-2")
    keep(session, call)
    await session.start(agent=Receptionist(call), room=ctx.room)


if __name__ == "__main__":
    from livekit.agents import WorkerOptions, cli
    cli.run_app(WorkerOptions(entrypoint_fnc=entrypoint))

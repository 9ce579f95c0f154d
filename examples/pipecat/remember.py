"""A processor for Pipecat that remembers who calls. It stands between the user's aggregator and the model."""
import sys, pathlib

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))  # where memory.py is; or copy it here

from memory import Call
from pipecat.frames.frames import CancelFrame, EndFrame, LLMContextFrame
from pipecat.processors.frame_processor import FrameProcessor


class Remember(FrameProcessor):
    """Puts in front of the newest words of the user what was said before and fits them."""

    def __init__(self, call: Call):
        super().__init__()
        self._call, self._note = call, None

    async def process_frame(self, frame, direction):
        await super().process_frame(frame, direction)
        if isinstance(frame, LLMContextFrame):
            await self._remind(frame.context)
        elif isinstance(frame, (EndFrame, CancelFrame)):
            await self._call.end()
        await self.push_frame(frame, direction)

    async def _remind(self, context):
        messages = [m for m in context.get_messages() if m is not self._note]  # one note at a time
        said = messages[-1] if messages else {}
        if isinstance(said, dict) and said.get("role") == "user" and isinstance(said.get("content"), str):
            if note := await self._call.recall(said["content"]):  # it delays the reply: 0.3 s at most
                self._note = {"role": "system", "content": note}
                messages.insert(len(messages) - 1, self._note)
        context.set_messages(messages)


def keep(aggregators, call: Call):
    """Keeps both sides as they were heard. aggregators is the LLMContextAggregatorPair of the pipeline."""
    @aggregators.user().event_handler("on_user_turn_stopped")
    async def user_stopped(aggregator, strategy, message):
        if message.content:
            call.keep("user", message.content)

    @aggregators.assistant().event_handler("on_assistant_turn_stopped")
    async def assistant_stopped(aggregator, message):
        if message.content:
            call.keep("assistant", message.content, message.interrupted)

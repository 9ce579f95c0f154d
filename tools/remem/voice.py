"""The client of a document server as the voice session specification prints it (seed V), run against Recaller.

Between the two lines is the specification's code, word for word; around it is what it needs to run: its settings, a
session, and a model that has answered. Usage: voice.py URL KEY
"""

import asyncio
import sys
import uuid
from dataclasses import dataclass
from datetime import datetime

import httpx

REMEM_API_URL, REMEM_API_KEY = sys.argv[1], sys.argv[2]


# --- as printed -------------------------------------------------------------------------------------------------------
@dataclass
class VoiceSession:
    session_id: str
    caller_id: str
    started_at: datetime
    transcript_buffer: list[dict]  # [{"speaker": "asim", "text": "...", "ts": ...}, ...]


async def init_voice_session(caller_id: str) -> VoiceSession:
    """Initialize a new voice session with empty buffer."""
    return VoiceSession(
        session_id=f"voice-session:{uuid.uuid4()}",
        caller_id=caller_id,
        started_at=datetime.now(),
        transcript_buffer=[]
    )


async def store_in_remem(session: VoiceSession, summary: str):
    """POST summarized call notes to Remem."""
    async with httpx.AsyncClient() as client:
        await client.post(
            f"{REMEM_API_URL}/v1/documents",
            headers={"X-API-Key": REMEM_API_KEY},
            json={
                "title": f"Voice Call Summary — {session.started_at.strftime('%Y-%m-%d %I:%M %p')}",
                "content": summary,
                "source": "voice-call",
                "tags": "voice-session, deepclaw, phone-call"
            }
        )


async def load_voice_context() -> str:
    """Fetch last 3 voice session summaries for context injection."""
    async with httpx.AsyncClient() as client:
        resp = await client.post(
            f"{REMEM_API_URL}/v1/query",
            headers={"X-API-Key": REMEM_API_KEY},
            json={"text": "voice call summary", "limit": 3}
        )
        results = resp.json().get("results", [])
    
    if not results:
        return ""
    
    context = "## Recent Voice Calls\n\n"
    for doc in results:
        # Include title and first ~500 chars of content
        context += f"### {doc.get('title', 'Untitled')}\n"
        context += doc.get('snippet', '')[:500] + "\n\n"
    
    return context
# ----------------------------------------------------------------------------------------------------------------------


async def main() -> None:
    assert await load_voice_context() == "", "there is something before anything was stored"
    for n in range(4):
        session = await init_voice_session("+16479802995")
        await store_in_remem(session, f"**Session:** {session.session_id}\n\n### Action Items\n- [ ] Tesla service, call {n}")
    context = await load_voice_context()
    print(context)
    assert context.startswith("## Recent Voice Calls\n\n### Voice Call Summary — "), "no calls"
    assert [n for n in range(4) if f"Tesla service, call {n}" in context] == [1, 2, 3], "not the last three"
    assert context.index("call 3") < context.index("call 2") < context.index("call 1"), "not the newest first"


asyncio.run(main())

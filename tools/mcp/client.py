"""The official Python client of MCP against Recaller: H's protocol over HTTP and over standard input and output.

Usage: client.py URL KEY COMMAND… (the command speaks MCP on its standard input and output)."""
import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

NUMBER = "+1-555-0199"


def answer(result):
    failed = getattr(result, "is_error", getattr(result, "isError", None))
    structured = getattr(result, "structured_content", getattr(result, "structuredContent", None))
    text = json.loads(result.content[0].text)
    if not failed:
        assert structured == text, (structured, text)
    return failed, text


async def protocol(session, number, summary):
    await session.initialize()
    names = {t.name for t in (await session.list_tools()).tools}
    assert {"read_agent_memory", "update_agent_memory", "recall", "get_briefing", "log_turns"} <= names, names
    assert len((await session.list_prompts()).prompts) == 3

    async def call(name, **arguments):
        return answer(await session.call_tool(name, arguments))

    failed, got = await call("read_agent_memory", phoneNumber=number)
    assert not failed and got == {"found": False, "message": "No previous conversation found within 72 hours"}, got
    staging = {"address": "742 Evergreen Terrace", "issue": "leaking pipes"}
    failed, got = await call("update_agent_memory", phoneNumber=number, summary=summary, intent="job_creation",
                             stagingData=json.dumps(staging))
    assert not failed and got["success"] and got["memoryId"], got
    failed, got = await call("read_agent_memory", phoneNumber=number)
    assert not failed and got["found"] and got["stagingData"] == staging and got["summary"] == summary, got
    failed, got = await call("update_agent_memory", phoneNumber=number, summary=summary, stagingData="{no")
    assert failed and got == {"error": "Invalid JSON in stagingData parameter"}, got
    failed, got = await call("update_agent_memory", phoneNumber=number, summary="Job created", intent="completed")
    assert not failed, got
    failed, got = await call("read_agent_memory", phoneNumber=number)
    assert not failed and got["found"] is False, got


async def main(url, key, command):
    async with create_mcp_http_client(headers={"Authorization": "Bearer " + key}) as http:
        async with streamable_http_client(url, http_client=http) as (read, write, *_):
            async with ClientSession(read, write) as session:
                await protocol(session, NUMBER, "A leak under the sink")
    print("python over HTTP: as H has it")
    params = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    async with stdio_client(params) as (read, write):
        async with ClientSession(read, write) as session:
            await protocol(session, "+1-555-0198", "A leak under the roof")
    print("python over stdio: as H has it")


asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:]))

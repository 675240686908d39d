"""An engine of SearXNG that answers with the ranking of a `corpus_server`.

`server` is the address of its MCP endpoint, and `site` the address of the web site that serves the
same folder. A page is named once, at the rank of its best passage.
"""

import json

from searx.enginelib import EngineAbout
from searx.result_types import EngineResults

about = EngineAbout()
categories = ["general"]
paging = False
server = ""
site = ""

REVISION = "2026-07-28"
SPOKEN = {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "searxng", "version": "1"},
}


def request(query, params):
    """Calls the tool `search`."""
    params["url"] = server
    params["method"] = "POST"
    params["headers"]["accept"] = "application/json, text/event-stream"
    params["headers"]["mcp-protocol-version"] = REVISION
    params["headers"]["mcp-method"] = "tools/call"
    params["headers"]["mcp-name"] = "search"
    arguments = {"name": "search", "arguments": {"query": query}, "_meta": SPOKEN}
    params["json"] = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": arguments}


def response(resp):
    """Reads the passages that the tool returned."""
    found = EngineResults()
    named = set()
    # The answer is JSON, or an event stream whose only event is the answer.
    events = [line[5:] for line in resp.text.splitlines() if line.startswith("data:")]
    answer = json.loads(events[-1] if events else resp.text)
    for passage in answer["result"]["structuredContent"]["results"]:
        page = passage["id"]
        if page in named:
            continue
        named.add(page)
        result = found.types.MainResult(
            url=f"{site}/{page}", title=passage["title"], content=passage["text"]
        )
        found.add(result)
    return found

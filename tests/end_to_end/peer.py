"""A small MCP server for tests: `echo` gives its argument back, `reveal` an environment variable,
`break` an error result, `slow` waits until a file is there. Handshake revisions."""
import json
import os
import sys
import time

TOOLS = [
    {"name": "echo", "description": "Gives the text back.",
     "inputSchema": {"type": "object", "properties": {"text": {"type": "string", "maxLength": 20}},
                     "required": ["text"], "additionalProperties": False},
     "annotations": {"readOnlyHint": True}},
    {"name": "reveal", "description": "Gives an environment variable.",
     "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
     "annotations": {"readOnlyHint": True}},
    {"name": "break", "description": "Fails.", "inputSchema": {"type": "object"}},
    {"name": "slow", "description": "Waits until a file is there.",
     "inputSchema": {"type": "object", "properties": {"file": {"type": "string"}}},
     "annotations": {"readOnlyHint": True}},
    {"name": "odd.name/x", "description": "A name that models may not use.",
     "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}},
]


def result_of(name, arguments):
    if name == "echo":
        return {"content": [{"type": "text", "text": arguments["text"]}]}
    if name == "reveal":
        value = os.environ.get(arguments.get("name", ""), "(unset)")
        print("revealing", value, file=sys.stderr, flush=True)
        return {"content": [{"type": "text", "text": value}]}
    if name == "slow":
        while not os.path.exists(arguments["file"]):
            time.sleep(0.01)
        return {"content": [{"type": "text", "text": "there it is"}]}
    if name == "break":
        return {"content": [{"type": "text", "text": "it broke"}], "isError": True}
    return {"content": [{"type": "text", "text": name}]}


def main():
    if os.environ.get("PEER_STARTS"):
        with open(os.environ["PEER_STARTS"], "a") as file:
            file.write("started\n")
    for line in sys.stdin:
        message = json.loads(line)
        method, id_ = message.get("method"), message.get("id")
        params = message.get("params", {})
        if id_ is None:
            continue
        answer = {"jsonrpc": "2.0", "id": id_}
        if method == "initialize":
            answer["result"] = {"protocolVersion": params["protocolVersion"],
                                "capabilities": {"tools": {}},
                                "serverInfo": {"name": "peer", "version": "1"}}
        elif method == "tools/list":
            answer["result"] = {"tools": TOOLS}
        elif method == "tools/call":
            answer["result"] = result_of(params["name"], params.get("arguments", {}))
        else:
            answer["error"] = {"code": -32601, "message": "Method not found"}
        print(json.dumps(answer), flush=True)


main()

"""A WebSocket server that plays a script, good or bad, for the client's tests.

Usage: scripted_server.py SCRIPT, where SCRIPT is JSON: one list of steps for each connection, in the
order in which they come; connections beyond the last list play it again.

    {"expect": "subscribe"}      wait for a command with this op (another one ends the script)
    {"send": {...}}              send an object; "$id" stands for the id of the last command
    {"sendText": "..."}          send a text as it is
    {"sendBinary": "..."}        send it as a binary message
    {"fragments": ["...", ...]}  send a text in fragments
    {"sendBadText": true}        send a text message that is not UTF-8
    {"flood": n, "bytes": m}     send n pushes of about m bytes each
    {"close": 1001}              close with this code; "reason" may say why
    {"drop": true}               break the connection without a close frame

Instead of a list a connection may be "http" (an answer that is no upgrade) or "silent" (no answer).

After its last step a connection stays open. Standard output: the port, then one JSON line for
each thing that happened: {"connection":n,"received":{...}}, {"connection":n,"closed":code}.
"""

import asyncio
import http
import json
import sys

import websockets

SCRIPT = json.loads(sys.argv[1])
connections = 0


def say(line):
    print(json.dumps(line, ensure_ascii=False, separators=(",", ":")), flush=True)


async def read(socket, number):
    command = json.loads(await socket.recv())
    say({"connection": number, "received": command})
    return command


def push(index, size):
    timetoken = str(17952187953730000 + index)
    event = {"a": "1", "f": 0, "i": "bob", "p": {"t": timetoken, "r": 1}, "k": "default",
             "c": "room", "d": {"n": index, "fill": "x" * size}}
    return json.dumps({"t": {"t": timetoken, "r": 1}, "c": "room", "m": [event]})


async def play(socket, steps, number):
    last_id = None
    for step in steps:
        if "expect" in step:
            command = await read(socket, number)
            if command["op"] != step["expect"]:
                say({"connection": number, "unexpected": command["op"]})
                return
            last_id = command["id"]
        elif "send" in step:
            text = json.dumps(step["send"], ensure_ascii=False)
            await socket.send(text.replace('"$id"', json.dumps(last_id)))
        elif "sendText" in step:
            await socket.send(step["sendText"])
        elif "sendBinary" in step:
            await socket.send(step["sendBinary"].encode())
        elif "sendBadText" in step:
            await socket.write_frame(True, 1, b"\xff\xfe")
        elif "fragments" in step:
            await socket.send(step["fragments"])
        elif "flood" in step:
            for index in range(step["flood"]):
                await socket.send(push(index, step["bytes"]))
        elif "close" in step:
            await socket.close(step["close"], step.get("reason", "scripted"))
        elif "drop" in step:
            socket.transport.abort()
            return
    while True:
        await read(socket, number)


def steps_of(number):
    return SCRIPT[min(number, len(SCRIPT) - 1)]


async def answer(path, headers):
    """Runs before the upgrade of each connection."""
    if steps_of(connections) == "http":
        return http.HTTPStatus.OK, [], b"hello\n"
    if steps_of(connections) == "silent":
        say({"connection": connections, "silent": True})
        await asyncio.Future()
    return None


async def serve(socket, path=None):
    global connections
    number = connections
    connections += 1
    try:
        await play(socket, steps_of(number), number)
    except websockets.ConnectionClosed:
        pass
    await socket.wait_closed()
    say({"connection": number, "closed": socket.close_code})


async def main():
    async with websockets.serve(serve, "127.0.0.1", 0, subprotocols=["sync.v1.json"],
                                process_request=answer) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await asyncio.Future()


asyncio.run(main())

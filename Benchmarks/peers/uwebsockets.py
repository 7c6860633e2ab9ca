"""uWebSockets with its own publish and subscribe, through socketify. Usage: uwebsockets.py PORT"""

import sys

from socketify import App, CompressOptions, OpCode

app = App()


def message(socket, text, _opcode):
    """ "sub CHANNEL" subscribes and is answered with "ok"; "pub CHANNEL TEXT" publishes."""
    if text.startswith("sub "):
        socket.subscribe(text[4:])
        socket.send("ok", OpCode.TEXT)
    elif text.startswith("pub "):
        app.publish(text[4:11], text[12:], OpCode.TEXT)


app.ws("/*", {
    "compression": CompressOptions.DISABLED,
    "max_payload_length": 1 << 20,
    "max_backpressure": 1 << 28,
    "idle_timeout": 0,
    "open": lambda socket: None,
    "message": message,
})
app.listen(int(sys.argv[1]), lambda config: None)
app.run()

"""What a page can send to a daemon that is not its own, each way as a script for the browser.

Every script ends with what the page could read: `null` when it was nothing.
"""

import json

#: What attacks try to write. None of these may ever be in a history.
LOOT = "written by a foreign page"

#: Waits for an element that loads something, and says that nothing was read.
LOAD = """
    const load = (name, fields) => new Promise((done) => {
        const element = Object.assign(document.createElement(name), fields);
        element.onload = element.onerror = () => done(null);
        document.documentElement.append(element);
    });
    const read = (promise) => promise.then(async (it) =>
        it.type === 'opaque' ? null : `${it.status} ${await it.text()}`, () => null);
"""

REQUESTS = {
    "fetch that publishes": "read(fetch(publish('fetch')))",
    "fetch without CORS": "read(fetch(publish('no-cors'), { mode: 'no-cors' }))",
    "fetch that is simple": """read(fetch(post, { method: 'POST', mode: 'no-cors',
        body: JSON.stringify(loot) }))""",
    "fetch with a preflight": """read(fetch(post, { method: 'POST',
        headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(loot) }))""",
    "fetch of the history": "read(fetch(history))",
    "deletion": "read(fetch(history, { method: 'DELETE' }))",
    "reaction": """read(fetch(action, { method: 'POST', mode: 'no-cors',
        body: JSON.stringify({ type: 'reaction', value: 'x' }) }))""",
    "group": "read(fetch(group, { mode: 'no-cors' }))",
    "metrics": "read(fetch(`${daemon}/metrics`))",
    "picture": "load('img', { src: publish('img') })",
    "script": "load('script', { src: publish('script') })",
    "style": "load('link', { rel: 'stylesheet', href: publish('link') })",
    "frame": "load('iframe', { src: publish('iframe') })",
    "form": """new Promise((done) => {
        const frame = Object.assign(document.createElement('iframe'), { name: 'f' });
        const form = Object.assign(document.createElement('form'), {
            method: 'POST', action: post, target: 'f', enctype: 'text/plain' });
        // Sent as "loot=": a JSON text.
        const input = Object.assign(document.createElement('input'), {
            name: JSON.stringify(loot).slice(0, -1), value: '"' });
        form.append(input);
        document.documentElement.append(frame, form);
        frame.onload = () => done(null);
        form.submit();
    })""",
    "beacon": "(navigator.sendBeacon(post, JSON.stringify(loot)), read(fetch(history)))",
}

WEB_SOCKET = """new Promise((done) => {
    const socket = new WebSocket(`${daemon.replace('http', 'ws')}/v1/sync?userId=eve&deviceId=e`);
    socket.onopen = () => socket.send(JSON.stringify(
        { id: 1, op: 'publish', channel: 'room', payload: loot }));
    socket.onmessage = (it) => { if (JSON.parse(it.data).id === 1) done(it.data); };
    socket.onclose = socket.onerror = () => done(null);
})"""

#: Runs a script in a frame whose origin is `null`, and hands on what it read.
SANDBOX = """new Promise((done) => {
    addEventListener('message', (it) => done(it.data), { once: true });
    const frame = document.createElement('iframe');
    frame.sandbox = 'allow-scripts allow-forms';
    frame.srcdoc = `<script>(async () => parent.postMessage(await (async () => {
        ${SCRIPT} })(), '*'))()</` + 'script>';
    document.documentElement.append(frame);
})"""


def script(daemon, attack, message):
    """An expression that carries one attack out; `daemon` is what the page calls it."""
    return "(async () => {" + body(daemon, attack, message) + "})()"


def sandboxed(daemon, attack, message):
    """The same, from a frame without an origin."""
    text = body(daemon, attack, message).replace("\\", "\\\\").replace("`", "\\`")
    return SANDBOX.replace("${SCRIPT}", text.replace("${", "\\${"))


def body(daemon, attack, message):
    history = "/v3/history/sub-key/sub/channel/room"
    return f"""
        const daemon = {json.dumps(daemon)}, loot = {json.dumps(LOOT)};
        const publish = (how) =>
            `${{daemon}}/publish/pub/sub/0/room/0/${{encodeURIComponent(
                JSON.stringify(`${{loot}}: ${{how}}`))}}?uuid=eve`;
        const post = `${{daemon}}/publish/pub/sub/0/room/0?uuid=eve`;
        const history = `${{daemon}}{history}`;
        const action =
            `${{daemon}}/v1/message-actions/sub/channel/room/message/{message}?uuid=eve`;
        const group =
            `${{daemon}}/v1/channel-registration/sub-key/sub/channel-group/team?add=room`;
        {LOAD}
        return {attack};
    """

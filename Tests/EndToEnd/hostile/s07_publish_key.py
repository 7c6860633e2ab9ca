"""S7: writing without the key that writers must have."""

import json

from hostile.attack import Attack
from raw import TEXT, RawClient, frame

KEYSETS = """
[keyset honest]
subscribe_key = honest
publish_key = pub
[keyset mallory]
subscribe_key = mallory
secret_key = 0123456789abcdef0123456789abcdef
"""


class PublishKey(Attack):
    """A native hello, adding an action and deleting over HTTP went round `publish_key`."""

    name, title = "S7", "writes without publish_key, and without a token"
    #: Over HTTP reactions and deletions are open to who has no token, as at PubNub: so the second
    #: tenant asks for one.
    configurations = (KEYSETS + "access_control = yes\n", KEYSETS)

    def cases(self, target):
        with target.rest() as rest:
            message = str(rest.publish("room", "mine"))
        found = [(f"{op}, native", self.refuses(target, op, fields)) for op, fields in (
            ("publish", {"payload": 1}),
            ("addAction", {"messageTimetoken": message, "value": "x"}),
            ("removeAction", {"messageTimetoken": message, "value": "x"}),
            ("deleteMessages", {"after": "0", "through": message}))]
        return found + [(f"{what}, HTTP", self.http(target, *request)) for what, request in (
            ("publish with another key", ("honest", "GET", "/publish/no/{sub}/0/room/0/1", None)),
            ("publish without a token", ("mallory", "GET", "/publish/no/{sub}/0/room/0/1", None)),
            ("add without a token", (
                "mallory", "POST", f"/v1/message-actions/{{sub}}/channel/room/message/{message}",
                {"type": "reaction", "value": "x"})),
            ("delete without a token", (
                "mallory", "DELETE", "/v3/history/sub-key/{sub}/channel/room", None)),
            ("history without a token", (
                "mallory", "GET", "/v3/history/sub-key/{sub}/channel/room", None)))]

    @staticmethod
    def refuses(target, op, fields):
        with RawClient(target.address) as client:
            client.upgrade()
            client.command("hello", userId="m", deviceId="m-phone", keyset="honest")
            client.send(frame(TEXT, json.dumps(
                {"id": 9, "op": op, "channel": "room", **fields}).encode()))
            reply = client.message()
            return reply.get("error", {}).get("status") == 403

    @staticmethod
    def http(target, tenant, method, path, body):
        with target.rest(tenant=tenant) as rest:
            return rest.ask(method, path, body=body).status >= 400

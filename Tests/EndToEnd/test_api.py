"""The HTTP API: who asks, once however often it is sent, batches, and streams that miss nothing."""

import json
import pathlib
import re
import shutil
import signal
import socket
import tempfile
import threading

from api import Api, Stream, payloads
from daemon import SANITIZED, run_to_end
from raw import RawClient
from sdk import PubNubTestCase
from test_access import SHARED, base64url, web_token
from waiting import PATIENCE

BACKEND, REPORTS, OTHERS = "backend-" + "b" * 32, "reports-" + "r" * 32, "others-" + "o" * 32
#: What is a session's, and so has no route.
SESSIONS = {"hello", "subscribe", "unsubscribe", "follow", "unfollow", "repair", "older", "token",
            "endLive"}
CONFIGURATION = """
    [keyset app]
    subscribe_key = sub-app
    publish_key = pub-app
    access_control = yes
    jwks_file = {place}/jwks.json
    jwt_issuer = https://id.example
    server_keys_file = {place}/keys.json

    [keyset other]
    subscribe_key = sub-other
    access_control = yes
    server_keys_file = {place}/others.json

    [keyset open]
    subscribe_key = sub-open
    """


class ApiCase(PubNubTestCase):
    """Two tenants that ask who comes, and one that does not."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="syncdaemon-test-")
        self.addCleanup(directory.cleanup)
        self.place = pathlib.Path(directory.name)
        self.write("jwks.json", [{"kty": "oct", "kid": "one", "alg": "HS256",
                                  "k": base64url(SHARED)}])
        self.write("keys.json", [
            {"name": "backend", "key": BACKEND},
            {"name": "reports", "key": REPORTS, "permissions": {
                "patterns": {"channels": {"^open": ["read", "history"]}}}}])
        self.write("others.json", [{"name": "others", "key": OTHERS}])
        self.daemon = self.start_daemon(configuration=self.configuration())
        self.backend = self.api(BACKEND)

    def configuration(self):
        return CONFIGURATION.format(place=self.place)

    def write(self, name, keys):
        path = self.place / name
        path.write_text(json.dumps({"keys": keys}))
        path.chmod(0o600)

    def api(self, bearer=None, **query):
        api = Api(self.daemon, bearer, **query)
        self.addCleanup(api.close)
        return api

    def stream(self, api=None, **fields):
        stream = Stream(api or self.backend, **fields)
        self.addCleanup(stream.close)
        return stream

    def assert_refused(self, response, status, code):
        self.assertEqual((response.status_code, response.json()["error"]["code"]), (status, code))
        self.assertEqual(response.json()["error"]["status"], status)
        self.assertEqual(response.headers["content-type"], "application/json")

    def message(self, channel="room", payload=1, author="ada"):
        return self.backend.write(
            "publish", channel=channel, payload=payload, author=author)["timetoken"]


class Operations(ApiCase):
    """The same words, the same rows."""

    def test_every_operation_has_a_route(self):
        document = self.backend.http.get("openapi.json").json()
        # Some tenant here takes whoever comes; else a key is needed.
        self.assertEqual(document["security"], [{"bearer": []}, {}])
        routes = {path.removeprefix("/v1/") for path in document["paths"]} - {"batch", "stream"}
        unknown = self.backend.post("batch", {"commands": [{"op": "?"}]}).json()
        batched = set(re.findall(r"\w+", unknown["results"][0]["error"]["message"]))
        self.assertLess({"publish", "setMembers"}, batched)
        with RawClient(self.daemon.address) as client:
            client.upgrade()
            with self.assertRaises(AssertionError) as refused:
                client.command("?")
            text = str(refused.exception)
        known = set(re.findall(r"\w+", text[text.index("Use one of") + 10:text.rindex(".")]))
        self.assertEqual(known - SESSIONS, routes)

    def test_the_document_knows_what_operations_take(self):
        document = self.backend.http.get("openapi.json").json()
        paths = document["paths"]
        query = {it["name"]: it["schema"] for it in paths["/v1/members"]["get"]["parameters"]}
        self.assertIn("-subject.name", query["sort"]["items"]["enum"])
        self.assertEqual(query["after"]["maxLength"], 32 * 1024)
        body = paths["/v1/setMembers"]["post"]["requestBody"]["content"]["application/json"]
        self.assertIn("expected", body["schema"]["properties"])
        entry = document["components"]["schemas"]["Entry"]["properties"]
        self.assertLess(
            {"name", "profileUrl", "email", "externalId", "description", "custom", "subject"},
            set(entry))
        self.assertIn("Retry-After", paths["/v1/users"]["get"]["responses"]["default"]["headers"])

    def test_members_are_changed_on_a_condition(self):
        self.backend.write("setMembers", channel="den", set=[{"userId": "ada"}])
        entry, = self.backend.read("members", channel="den")["entries"]
        change = {"channel": "den", "remove": ["ada"]}
        for tag, status in (("0", 412), (entry["timetoken"], 200)):
            response = self.backend.post("setMembers", change, If_Match=f'"{tag}"')
            self.assertEqual(response.status_code, status, response.text)

    async def test_replies_are_those_of_the_websocket(self):
        first = self.message(payload={"text": "hi"})
        self.backend.write("addAction", channel="room", messageTimetoken=first, value="👍",
                           author="bob")
        self.backend.write("setUser", userId="ada", set={"name": "Ada"}, author="ada")
        self.backend.write("changeGroup", group="all", add=["room"])
        self.backend.write("markRead", channel="room", through=first, author="ada")
        device = await self.token_device()
        queries = [
            ("history", {"channel": "room", "actions": True, "limit": 5}),
            ("actions", {"channel": "room", "value": ["👍", "x"]}),
            ("summaries", {"channel": "room", "messages": [first]}),
            ("users", {"filter": 'name like "A*"', "sort": ["-name"], "count": True}),
            ("unread", {"channels": ["room"]}), ("hereNow", {"channel": "room", "states": True}),
            ("whereNow", {}), ("getState", {"channel": "room"}), ("group", {"group": "all"}),
        ]
        for operation, fields in queries:
            with self.subTest(operation):
                self.assertEqual(
                    self.backend.read(operation, **fields, **{"as": "ada"}),
                    await device.command(operation, **fields))

    async def token_device(self):
        """A WebSocket of ada, who may do everything."""
        rights = ["read", "write", "history", "presence", "get", "manage", "react"]
        names = {"channels": {".*": rights}, "groups": {".*": rights}, "users": {".*": rights}}
        token = web_token(permissions={"patterns": names})
        device = self.offline_device(self.daemon, "ada", "phone")
        device.keyset = "sub-app"
        await device.open()
        device.welcome = await device.command(
            "hello", userId="ada", deviceId="phone", keyset="sub-app", publishKey="pub-app",
            token=token)
        return device

    def test_an_error_says_what_to_do(self):
        self.assert_refused(self.backend.get("history"), 400, "missing_field")
        self.assert_refused(self.backend.get("history", channel="room", limit="x"), 400,
                            "invalid_field")
        self.assert_refused(
            self.backend.http.get("history?channel=a&channel=b"), 400, "invalid_field")
        self.assert_refused(self.backend.http.post("publish", content=b"{"), 400, "not_json")
        self.assert_refused(self.backend.http.post("publish", content=b"[1]"), 400,
                            "not_an_object")
        self.assert_refused(
            self.backend.post("editMessage", {
                "channel": "room", "messageTimetoken": "5", "payload": 1}), 404,
            "no_such_message")

    def test_what_is_too_large(self):
        body = {"channel": "room", "payload": "x" * 70_000}
        self.assert_refused(self.backend.post("publish", body), 413, "request_too_large")
        response = self.backend.get("history", channel="x" * 50_000)
        self.assert_refused(response, 414, "request_too_long")

    def test_a_method_that_is_not_there(self):
        for method in ("DELETE", "PUT", "QUERY", "PROPFIND"):
            response = self.backend.http.request(method, "publish")
            self.assertEqual(response.status_code, 405, method)
            self.assertIn("POST", response.headers["allow"])

    def test_an_operation_that_is_not_there(self):
        for name, words in (("nothing", "There is no operation nothing; /v1/openapi.json"),
                            ("subscribe", "send it over a WebSocket"), ("hello", "a session's")):
            for response in (self.backend.http.get(name), self.backend.post(name, {})):
                self.assert_refused(response, 404, "not_found")
                self.assertIn(words, response.json()["error"]["message"])

    def test_a_query_that_is_wrongly_encoded(self):
        for query, words in (("channel=%ff&limit=1", 'parameter "channel" is wrongly encoded'),
                             ("channel=room&limit=%00", 'parameter "limit" is'),
                             ("%zz=1", "A name in the query is")):
            response = self.backend.http.get("history?" + query)
            self.assert_refused(response, 400, "invalid_field")
            self.assertIn(words, response.json()["error"]["message"])

    def test_numbers_without_a_fraction(self):
        self.backend.ok(self.backend.http.post(
            "publish", content=b'{"channel":"room","payload":1,"ttl":24.0}'))
        self.assert_refused(self.backend.http.post(
            "publish", content=b'{"channel":"room","payload":1,"ttl":24.5}'), 400, "invalid_field")


class Bearers(ApiCase):
    """Who may what."""

    def test_a_server_key_acts_in_any_name(self):
        self.message(author="ada")
        self.backend.write("publish", channel="room", payload=2)
        messages = self.backend.read("history", channel="room")["messages"]
        self.assertEqual({it["uuid"] for it in messages}, {"ada", "backend"})

    def test_a_key_with_permissions(self):
        reports = self.api(REPORTS)
        self.message("open-1")
        self.assertEqual(len(reports.read("history", channel="open-1")["messages"]), 1)
        self.assert_refused(reports.get("history", channel="room"), 403, "forbidden")
        self.assert_refused(
            reports.post("publish", {"channel": "open-1", "payload": 1}), 403, "forbidden")
        self.assert_refused(
            reports.get("stream", channel="room"), 403, "forbidden")

    def test_a_key_is_of_one_tenant(self):
        others = self.api(OTHERS)
        self.message()
        self.assertEqual(others.read("history", channel="room")["messages"], [])
        self.assert_refused(
            self.api(OTHERS, keyset="sub-app").get("history", channel="room"), 401,
            "token_invalid")
        self.assert_refused(
            self.api(OTHERS, keyset="sub-none").get("history", channel="room"), 401,
            "unknown_keyset")
        # One key of two tenants says which only with their name.
        self.write("others.json", [{"name": "others", "key": BACKEND}])
        self.daemon.process.send_signal(signal.SIGHUP)
        self.eventually(
            lambda: self.backend.get("history", channel="room").status_code == 401, "the reload")
        self.assertIn("of several keysets: name one with keyset=",
                      self.backend.get("history", channel="room").json()["error"]["message"])
        named = self.api(BACKEND, keyset="sub-app")
        self.assertEqual(len(named.read("history", channel="room")["messages"]), 1)

    def test_what_is_no_key(self):
        for bearer in (None, "x", BACKEND[:-1], BACKEND + "x", "ä"):
            headers = {"Authorization": f"Bearer {bearer}".encode()} if bearer else {}
            response = self.api().http.get("history?channel=room", headers=headers)
            self.assertEqual(response.status_code, 401, bearer)
            self.assertEqual(response.headers["www-authenticate"], "Bearer")
            self.assertIn("server key", response.json()["error"]["message"])
        response = self.api().http.get(
            "history?channel=room", headers={"Authorization": "Basic " + BACKEND})
        self.assert_refused(response, 401, "token_invalid")

    def test_a_token_is_its_users(self):
        ada = self.api(web_token(), publishKey="pub-app")
        ada.write("publish", channel="room", payload=1)
        (message,) = ada.read("history", channel="room")["messages"]
        self.assertEqual(message["uuid"], "ada")
        self.assert_refused(
            ada.post("publish", {"channel": "room", "payload": 1, "as": "bob"}), 403,
            "token_of_another")
        for names in (("ada", "bob"), ("bob", "ada")):
            commands = [{"op": "publish", "channel": "room", "payload": 2, "as": name}
                        for name in names]
            results = ada.ok(ada.post("batch", {"commands": commands}))["results"]
            self.assertIn("ok", results[names.index("ada")])
            self.assertEqual(
                results[names.index("bob")]["error"]["code"], "token_of_another")
        self.assert_refused(
            self.api(web_token()).post("publish", {"channel": "room", "payload": 1}), 403,
            "invalid_publish_key")

    def test_refusals_speak_of_requests(self):
        """Not of sessions, which a server has none of."""
        reports = self.api(REPORTS)
        answers = [
            self.api(web_token()).post("publish", {"channel": "room", "payload": 1}),
            self.api(keyset="sub-app").get("history", channel="room"),
            self.api(BACKEND + "x", keyset="sub-app").get("history", channel="room"),
            reports.post("publish", {"channel": "room", "payload": 1}),
            self.backend.http.post("publish", content=b"7"),
            self.backend.http.post("publish", content=b"{"),
            self.backend.http.get(
                "stream?" + "&".join(f"channel=c{number}" for number in range(101)))]
        words = [it.json()["error"]["message"] for it in answers]
        for text, expected in zip(words, [
                "publishKey in the query", "Authorization: Bearer", "no server key",
                "Your server key or token lacks write", "as the body", "as the body",
                "Name fewer."]):
            self.assertIn(expected, text)
            self.assertNotRegex(text, "hello|per message|unsubscribe")
        results = reports.ok(reports.post(
            "batch", {"commands": [{"op": "publish", "channel": "room", "payload": 1}]}))
        self.assertEqual(results["results"][0]["error"]["message"], words[3])

    def test_a_channel_s_name_is_said_to_be_wrong(self):
        for wrong in ("a,b", "news.*", "*"):
            for fields in ({"set": [{"channel": wrong}]}, {"remove": ["room", wrong]}):
                self.assert_refused(
                    self.backend.post("setMemberships", {"userId": "ada"} | fields),
                    400, "invalid_channel")
        self.assert_refused(
            self.backend.post("setMemberships", {"userId": "ada", "remove": ["room", "room"]}),
            400, "invalid_field")

    def test_where_everybody_may_come(self):
        anybody = self.api(keyset="sub-open")
        anybody.write("publish", channel="room", payload=1)
        (message,) = anybody.read("history", channel="room")["messages"]
        self.assertEqual(message["uuid"], "server")
        # A key that was taken away, or is another's, must not write here instead.
        for bearer in (BACKEND + "x", web_token()):
            self.assert_refused(
                self.api(bearer, keyset="sub-open").post(
                    "publish", {"channel": "room", "payload": 1}), 401, "token_invalid")

    def test_in_whose_name(self):
        for fields, query, user in (
                ({"as": "ada"}, {}, "ada"), ({}, {"as": "bob"}, "bob"), ({}, {}, "backend"),
                ({"as": "ada"}, {"as": "bob"}, "ada")):
            api = self.api(BACKEND, **query)
            api.write("publish", channel="names", payload=1, **fields)
            newest = api.read("history", channel="names", limit=1)["messages"][0]
            self.assertEqual(newest["uuid"], user)
        twice = RawClient(self.daemon.address)
        self.addCleanup(twice.socket.close)
        answer = twice.get("/v1/ping", f"Authorization: Bearer {BACKEND}",
                           f"Authorization: Bearer {OTHERS}")
        self.assertEqual(answer.status, 400)

    def test_a_key_that_is_taken_away(self):
        stream = self.stream(channel="room")
        stream.until(lambda: stream.ids, "the beginning")
        self.write("keys.json", [{"name": "next", "key": BACKEND[::-1]}])
        self.daemon.process.send_signal(signal.SIGHUP)
        stream.until(lambda: stream.is_over, "the end of the stream")
        ((name, data),) = stream.others
        self.assertEqual((name, data["error"]["code"]), ("end", "token_invalid"))
        self.assert_refused(self.backend.get("history", channel="room"), 401, "token_invalid")
        self.api(BACKEND[::-1]).write("publish", channel="room", payload=1)


class Wishes(ApiCase):
    """Once, however often they are sent; and many at a time."""

    def publish(self, key, payload=1):
        return self.backend.post(
            "publish", {"channel": "room", "payload": payload}, Idempotency_Key=key)

    def test_an_idempotency_key(self):
        first = self.publish("k").json()
        self.assertEqual(self.publish("k").json(), first)
        self.daemon.kill()
        self.daemon.start()
        self.backend = self.api(BACKEND)
        self.assertEqual(self.publish("k").json(), first)
        self.assert_refused(self.publish("k", 2), 409, "mutation_reused")
        self.assertNotEqual(self.publish("l").json(), first)
        self.assert_refused(self.publish("k" * 61), 400, "invalid_field")
        self.assertEqual(len(self.backend.read("history", channel="room")["messages"]), 2)

    def test_a_change_on_a_condition(self):
        def change(name, **headers):
            return self.backend.post(
                "setUser", {"userId": "ada", "set": {"name": name}}, **headers)

        made = change("Ada", If_Match="0").json()["timetoken"]
        self.assert_refused(change("Eve", If_Match="0"), 412, "entry_modified")
        newer = change("Ada L.", If_Match=f'"{made}"').json()["timetoken"]
        self.assert_refused(change("Eve", If_Match=made), 412, "entry_modified")
        for wrong in ("", "*", 'W/"1"', f"{made}, {newer}", f'"{newer}', f'{newer}"', '""'):
            self.assert_refused(change("Eve", If_Match=wrong), 400, "invalid_field")
        self.assert_refused(
            self.backend.post("publish", {"channel": "room", "payload": 1}, If_Match=made),
            400, "invalid_field")
        batch = {"commands": [{"op": "setUser", "userId": "ada", "set": {"name": "Eve"}}]}
        self.assert_refused(
            self.backend.post("batch", batch, If_Match=newer), 400, "invalid_field")
        self.backend.ok(change("Ada Lovelace", If_Match=newer))

    def test_a_batch_keeps_its_order(self):
        message = self.message(payload="first")
        values = [f"v{number}" for number in range(49)]
        commands = [
            command for number, value in enumerate(values) for command in (
                {"op": "publish", "channel": "room", "payload": number, "as": "ada"},
                {"op": "addAction", "channel": "room", "messageTimetoken": message,
                 "value": value, "as": "bob"})]
        commands.append({"op": "publish", "channel": "room", "payload": 1, "store": False})
        body = {"commands": commands}
        results = self.backend.ok(self.backend.post("batch", body, Idempotency_Key="b"))["results"]
        tokens = [it["ok"].get("timetoken") or it["ok"]["action"]["actionTimetoken"]
                  for it in results]
        self.assertEqual(tokens[:-1], sorted(set(tokens[:-1]), key=int))
        again = self.backend.ok(self.backend.post("batch", body, Idempotency_Key="b"))["results"]
        self.assertEqual(again[:-1], results[:-1])
        self.assertEqual(len(self.backend.read("actions", channel="room")["actions"]), 49)
        messages = self.backend.read("history", channel="room", limit=100)["messages"]
        self.assertEqual(len(messages), 50)

    def test_a_key_is_none_in_an_address(self):
        """Servers write addresses down."""
        for place in ({"token": BACKEND}, {"token": BACKEND, "keyset": "sub-app"}):
            answer = self.api(**place).get("history", channel="room")
            self.assert_refused(answer, 401, "token_invalid")

    def test_what_is_not_stored_overtakes_nothing_in_a_batch(self):
        stream = self.stream(channel="room")
        self.message(payload="begin")
        stream.until(lambda: stream.events, "the beginning")
        commands = [
            command for n in range(0, 30, 5) for command in (
                {"op": "publish", "channel": "room", "payload": n},
                {"op": "signal", "channel": "room", "payload": n + 1},
                {"op": "publish", "channel": "room", "payload": n + 2, "store": False},
                {"op": "publish", "channel": "room", "payload": n + 3},
                {"op": "publish", "channel": "a,b", "payload": "refused"},
                {"op": "publish", "channel": "room", "payload": n + 4})]
        results = self.backend.ok(self.backend.post("batch", {"commands": commands}))["results"]
        stream.until(lambda: len(stream.events) == 31, "all of it")
        self.assertEqual([it["d"] for it in stream.events[1:]], list(range(30)))
        times = [int(it["ok"]["timetoken"]) for it in results if "ok" in it]
        self.assertEqual(times, sorted(set(times)))

    def test_one_that_is_refused_stops_no_other(self):
        commands = [
            {"op": "publish", "channel": "a,b", "payload": 1}, {"op": "history"}, 7,
            {"op": "publish", "channel": "room", "payload": 1},
            {"op": "setState", "channel": "room", "state": {}}]
        results = self.backend.ok(self.backend.post("batch", {"commands": commands}))["results"]
        self.assertEqual([it.get("error", {}).get("code") for it in results], [
            "invalid_channel", "unknown_op", "not_an_object", None, "unknown_op"])
        for wrong in ([], [commands[3]] * 101, {}, None):
            response = self.backend.post("batch", {"commands": wrong})
            self.assertEqual(response.status_code, 400, response.text)

    def test_how_often(self):
        daemon = self.start_daemon("--commands-per-second", "50")
        api = Api(daemon)
        self.addCleanup(api.close)
        first = api.get("ping")
        self.assertEqual(first.headers["ratelimit-limit"], "50")
        commands = [{"op": "publish", "channel": "room", "payload": 1}] * 40
        rest = int(api.post("batch", {"commands": commands}).headers["ratelimit-remaining"])
        self.assertLess(rest, 20)
        refused = api.post("batch", {"commands": commands})
        self.assert_refused(refused, 429, "rate_limited")
        self.assertEqual(refused.headers["retry-after"], "1")
        # One that costs more than there ever is comes when nothing else was asked for a while.
        self.eventually(
            lambda: api.post("batch", {"commands": commands[:1] * 60}).status_code == 200,
            "a batch of more than the rate")

    def test_pages_ask_first(self):
        daemon = self.start_daemon("--allowed-origins", "https://app.example")
        api = Api(daemon)
        self.addCleanup(api.close)
        asks = {"Origin": "https://app.example", "Access-Control-Request-Method": "POST",
                "Access-Control-Request-Headers": "authorization, idempotency-key"}
        response = api.http.options("publish", headers=asks)
        self.assertEqual(response.status_code, 204)
        self.assertEqual(response.headers["access-control-allow-origin"], "https://app.example")
        self.assertIn("Idempotency-Key", response.headers["access-control-allow-headers"])
        self.assertEqual(
            api.http.options("publish", headers=asks | {"Origin": "https://evil.example"})
            .status_code, 403)


class Streams(ApiCase):
    """Events as they come, each once, whatever breaks off."""

    def test_what_happens_comes(self):
        stream = self.stream(channel=["room", "news.*"], group="team")
        stream.until(lambda: stream.ids, "the beginning")
        self.backend.write("changeGroup", group="team", add=["inside"])
        first = self.message("room", "one")
        self.message("news.today", "two")
        stream.until(lambda: len(stream.events) == 2, "two messages")
        self.message("inside", "three")
        self.message("elsewhere", "nobody")
        self.backend.write(
            "addAction", channel="room", messageTimetoken=first, value="👍", author="bob")
        self.backend.write("removeActions", channel="room", value="👍")
        self.backend.write("deleteMessages", channel="room", through=first)
        self.backend.write("signal", channel="room", payload="tick")
        stream.until(lambda: len(stream.events) == 7, "all of it")
        self.assertEqual(payloads(stream.events), ["one", "two", "three"])
        self.assertEqual([it.get("e") for it in stream.events], [None, None, None, 3, 3, 5, 1])
        self.assertEqual(stream.times, sorted(stream.times))
        late = self.stream(channel=["room", "news.*"], cursor=stream.ids[0])
        late.until(lambda: late.times[-1:] == stream.times[-1:], "what is left of it")
        # The message is gone, and what stood on it; what removed it is told, and the signal is
        # remembered.
        self.assertEqual([it.get("e") for it in late.events], [None, 3, 5, 1])

    def test_a_group_that_grows(self):
        """Of a channel that is added to it comes what is published from then on."""
        self.backend.write("changeGroup", group="team", add=["old"])
        stream = self.stream(group="team")
        stream.until(lambda: stream.ids, "the beginning")
        for turn in range(5):
            self.message(f"new{turn}", "before")
            self.message("elsewhere", "nobody")
            self.backend.write("changeGroup", group="team", add=[f"new{turn}"])
            self.message(f"new{turn}", turn)
            stream.until(lambda: turn in payloads(stream.events), "what was published then")
            self.backend.write("changeGroup", group="team", remove=[f"new{turn}"])
            self.message(f"new{turn}", "meanwhile")
            self.message("old", -turn)
            stream.until(lambda: -turn in payloads(stream.events), "what stayed")
            self.backend.write("changeGroup", group="team", add=[f"new{turn}"])
        self.message("old", "last")
        stream.until(lambda: "last" in payloads(stream.events), "the last")
        self.assertEqual(
            payloads(stream.events), [0, -0, 1, -1, 2, -2, 3, -3, 4, -4, "last"])

    def test_a_group_that_changes_under_load(self):
        """Each message is judged by what the group had then, though streams are busy throughout."""
        self.backend.write("changeGroup", group="team", add=["noise"])
        streams = [self.stream(group="team") for _ in range(3)]
        for it in streams:
            it.until(lambda it=it: it.ids, "the beginning")
        over, wanted = threading.Event(), []

        def change(name, stored):
            one, other = self.api(BACKEND), self.api(BACKEND)
            for number in range(60):
                for word in ("before", "in"):
                    one.write("publish", channel=name, payload=[word, name, number],
                              store=stored, author="ada")
                    other.write(
                        "changeGroup", group="team",
                        **{"add" if word == "before" else "remove": [name]})
                wanted.append(["in", name, number])

        def make_noise():
            one = self.api(BACKEND)
            while not over.is_set():
                one.write("publish", channel="noise", payload=0, store=False, author="ada")

        writers = [threading.Thread(target=change, args=it)
                   for it in (("stored", True), ("unstored", False))]
        noise = threading.Thread(target=make_noise)
        for thread in (*writers, noise):
            thread.start()
        for thread in writers:
            thread.join()
        over.set()
        noise.join()
        self.message("noise", "last")
        self.assertEqual(len(wanted), 120)
        for it in streams:
            it.until(lambda it=it: "last" in payloads(it.events), "the last")
            told = [payload for payload in payloads(it.events) if isinstance(payload, list)]
            for name in ("stored", "unstored"):
                self.assertEqual(
                    [it for it in told if it[1] == name], [it for it in wanted if it[1] == name])

    def test_it_goes_on_where_it_broke_off(self):
        """Through `kill -9`, and however often: each event once, in order."""
        seen, last, sent = [], None, []
        for turn in range(6):
            stream = self.stream(channel="room", **({"last": last} if last else {}))
            stream.until(lambda: stream.ids, "the beginning")
            last = stream.last
            for number in range(20):
                sent.append([turn, number])
                self.message(payload=[turn, number])
                if number == 10 and turn % 2 == 0:
                    stream.close()
                if number == 15 and turn % 3 == 2:
                    self.daemon.kill()
                    self.daemon.start()
                    self.backend = self.api(BACKEND)
            if turn % 2 == 1 and turn % 3 != 2:
                stream.until(lambda: len(seen) + len(stream.events) >= 20 * (turn + 1), "all")
            seen += payloads(stream.events)
            last = stream.last
            stream.close()
        stream = self.stream(channel="room", last=last)
        stream.until(lambda: len(seen) + len(stream.events) >= len(sent), "the rest")
        self.assertEqual(seen + payloads(stream.events), sent)

    def test_a_cursor_from_a_clock(self):
        """One between the last event and now is no reset, and brings nothing from before it."""
        before = int(self.message(payload="before"))
        stream = self.stream(channel="room", cursor=str(before + 1000))
        stream.until(lambda: stream.ids, "the beginning")
        self.message(payload="after")
        stream.until(lambda: stream.events, "a message")
        self.assertEqual((payloads(stream.events), stream.others), (["after"], []))

    def test_one_from_another_store(self):
        stream = self.stream(channel="room", last="99952187953729998")
        stream.until(lambda: stream.ids, "the beginning")
        self.assertEqual([name for name, _ in stream.others], ["reset"])
        self.message()
        stream.until(lambda: stream.events, "a message")

    def test_an_id_of_another_store_is_known_by_its_epoch(self):
        """Though the new store has gone beyond its time."""
        self.message(payload="lost")
        stream = self.stream(channel="room")
        stream.until(lambda: stream.ids, "the beginning")
        self.message(payload="lost, too")
        stream.until(lambda: stream.events, "a message")
        last = stream.last
        self.assertIn("-", last)
        stream.close()
        self.daemon.stop()
        shutil.rmtree(self.daemon.data_dir)
        self.daemon.start()
        self.backend = self.api(BACKEND)
        self.message(payload="new")
        for where in ({"last": last}, {"cursor": last}):
            stream = self.stream(channel="room", **where)
            stream.until(lambda: stream.events, "what happened since the start")
            self.assertEqual([name for name, _ in stream.others], ["reset"])
            self.assertEqual(payloads(stream.events), ["new"])
            # From then on it is one of this store.
            again = self.stream(channel="room", last=stream.last)
            again.until(lambda: again.ids, "the beginning")
            self.assertEqual(again.others, [])
        # A timetoken alone is a time, as ids were in earlier releases.
        bare = self.stream(channel="room", last=last.rpartition("-")[2])
        bare.until(lambda: bare.events, "what came after it")
        self.assertEqual((payloads(bare.events), bare.others), (["new"], []))

    def test_a_store_that_was_put_back(self):
        self.message(payload="kept")
        copy = self.place / "copy.db"
        code, _, error = run_to_end("backup", "--data-dir", self.daemon.data_dir, str(copy))
        self.assertEqual(code, 0, error)
        stream = self.stream(channel="room")
        stream.until(lambda: stream.ids, "the beginning")
        first = stream.last
        self.message(payload="lost")
        stream.until(lambda: stream.events, "a message")
        last = stream.last
        self.daemon.stop()
        code, _, error = run_to_end("restore", "--data-dir", self.daemon.data_dir, str(copy))
        self.assertEqual(code, 0, error)
        self.daemon.start()
        self.backend = self.api(BACKEND)
        self.message(payload="new")
        stream = self.stream(channel="room", last=last)
        stream.until(lambda: stream.events, "what happened since the start")
        self.assertEqual([name for name, _ in stream.others], ["reset"])
        # What that store has, too, is no reason to begin anew.
        stream = self.stream(channel="room", last=first)
        stream.until(lambda: stream.events, "what came after it")
        self.assertEqual((payloads(stream.events), stream.others), (["new"], []))

    def test_what_is_not_stored_is_no_sign_of_another_store(self):
        """A restarted daemon knows nothing of where a signal was."""
        self.message()
        stream = self.stream(channel="room")
        stream.until(lambda: stream.ids, "the beginning")
        lasts = [stream.last]
        self.backend.write("signal", channel="room", payload="tick")
        stream.until(lambda: stream.events, "a signal")
        lasts.append(stream.last)
        self.daemon.kill()
        self.daemon.start()
        self.backend = self.api(BACKEND)
        self.message(payload="after")
        for last in lasts:
            stream = self.stream(channel="room", last=last)
            stream.until(lambda: stream.events, "a message")
            self.assertEqual((payloads(stream.events), stream.others), (["after"], []), last)

    def test_a_slow_reader_costs_nothing(self):
        """It reads nothing for a while: then everything comes, and nothing waited in memory."""
        with socket.socket() as slow:
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            slow.connect(self.daemon.address)
            slow.sendall(f"GET /v1/stream?channel=room HTTP/1.0\r\nHost: localhost\r\n"
                         f"Authorization: Bearer {BACKEND}\r\n\r\n".encode())
            slow.settimeout(PATIENCE)
            self.assertIn(b"200 OK", slow.recv(12, socket.MSG_WAITALL) + slow.recv(4))
            before = self.daemon.resident_bytes()
            text = "x" * 2000
            for start in range(0, 5000, 100):
                commands = [{"op": "publish", "channel": "room", "payload": [number, text]}
                            for number in range(start, start + 20)]
                self.backend.ok(self.backend.post("batch", {"commands": commands}))
            count = 20 * 50
            if not SANITIZED:
                self.assertLess(self.daemon.resident_bytes() - before, 30_000_000)
            received = b""
            while received.count(b"\ndata: ") < count or not received.endswith(b"\n\n"):
                received += slow.recv(65536)
        numbers = [json.loads(line[6:])["d"][0] for line in received.decode().splitlines()
                   if line.startswith("data: ")]
        self.assertEqual(
            numbers, [start + it for start in range(0, 5000, 100) for it in range(20)])

    def test_it_says_that_it_goes_on(self):
        stream = self.stream(channel="room")
        stream.until(lambda: stream.comments, "a comment after 20 s")
        self.message()
        stream.until(lambda: stream.events, "a message after it")

    def test_a_daemon_that_stops_ends_it(self):
        streams = [self.stream(channel=f"room-{number}") for number in range(20)]
        for stream in streams:
            stream.until(lambda: stream.ids, "the beginning")
        self.daemon.stop()
        for stream in streams:
            stream.until(lambda: stream.is_over, "the end")

    def test_who_is_gone_leaves_nothing(self):
        for _ in range(5):
            streams = [Stream(self.backend, channel="room") for _ in range(10)]
            for stream in streams:
                stream.until(lambda: stream.ids, "the beginning")
            for stream in streams:
                stream.close()
            self.eventually(lambda: self.polls() == 0, "the streams to be forgotten")

    def polls(self):
        text = self.rest(self.daemon).http.get("/metrics").body.decode()
        return int(re.search(r"^syncdaemon_polls (\d+)$", text, re.MULTILINE)[1])

    def test_a_token_that_is_over(self):
        stream = self.stream(self.api(web_token(seconds=3)), channel="room")
        stream.until(lambda: stream.is_over, "the end")
        ((name, data),) = stream.others
        self.assertEqual((name, data["error"]["code"]), ("end", "token_expired"))

    def test_heads_and_what_is_not_asked_for(self):
        response = self.backend.http.head("stream?channel=room")
        self.assertEqual(
            (response.status_code, response.headers["content-type"]),
            (200, "text/event-stream; charset=utf-8"))
        for query in ("", "?channel=", "?channel=a,b", "?channel=room&cursor=x",
                      "?channel=room&cursor=1-2-3-4", "?channel=room&cursor=-5"):
            response = self.backend.http.get("stream" + query)
            self.assertEqual(response.status_code, 400, query)
        # It goes before the cursor, and is to be told from it.
        response = self.backend.http.get(
            "stream?channel=room&cursor=5", headers={"Last-Event-ID": "xx"})
        self.assert_refused(response, 400, "invalid_field")
        self.assertIn('"Last-Event-ID"', response.json()["error"]["message"])
        # They would bring nothing, for ever.
        for name in ("*", "*-pnpres", "*.x.*", "a.b.c.*"):
            response = self.backend.http.get("stream", params={"channel": ["room", name]})
            self.assert_refused(response, 400, "invalid_field")
            self.assertIn("news.*", response.json()["error"]["message"])
        many = "&".join(f"channel=c{number}" for number in range(101))
        self.assert_refused(
            self.backend.http.get("stream?" + many), 400, "too_many_channels")

    def test_many_at_a_time(self):
        """Each of a hundred gets each of a thousand once, in order, while two write."""
        streams = [self.stream(channel="room") for _ in range(100)]
        for stream in streams:
            stream.until(lambda: stream.ids, "the beginning")

        def write(name):
            api = Api(self.daemon, BACKEND)
            for start in range(0, 500, 50):
                api.ok(api.post("batch", {"commands": [
                    {"op": "publish", "channel": "room", "payload": [name, number]}
                    for number in range(start, start + 50)]}))
            api.close()

        writers = [threading.Thread(target=write, args=(name,)) for name in "ab"]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        for stream in streams:
            stream.until(lambda: len(stream.events) >= 1000, "all messages")
            self.assertEqual(stream.events, streams[0].events)
        seen = payloads(streams[0].events)
        for name in "ab":
            self.assertEqual([it[1] for it in seen if it[0] == name], list(range(500)))


if __name__ == "__main__":
    import unittest
    unittest.main()

"""App Context: what is known of users, channels and memberships, through PubNub's SDK."""

import threading

from pubnub.endpoints.objects_v2.objects_endpoint import ObjectsEndpoint
from pubnub.exceptions import PubNubException
from pubnub.models.consumer.objects_v2.channel_members import PNUUID
from pubnub.models.consumer.objects_v2.common import MemberIncludes, MembershipIncludes
from pubnub.models.consumer.objects_v2.memberships import PNChannelMembership
from pubnub.models.consumer.objects_v2.page import Next, Previous
from pubnub.models.consumer.objects_v2.sort import PNSortKey, PNSortKeyValue

from rest import LongPoll, quoted
from sdk import PubNubTestCase

OBJECTS = "/v2/objects/{sub}"


class Objects(PubNubTestCase):
    """With the SDK and by hand."""

    def setUp(self):
        self.daemon = self.start_daemon()
        self.sdk = self.client(self.daemon, "ada").sdk
        self.web = self.rest(self.daemon)
        # The SDK sends a tag with every request behind the one that it was for.
        self.addCleanup(ObjectsEndpoint._custom_headers.clear)

    def set_user(self, user, **fields):
        return self.sdk.set_uuid_metadata(uuid=user, include_custom=True, **fields).sync().result.data

    def patch(self, path, body):
        return self.web.ok(f"{OBJECTS}/{path}", method="PATCH", body=body)

    def test_a_user_from_first_to_last(self):
        custom = {"key1": "val1", "level": 3}
        made = self.set_user(
            "bob", name="Bob", email="bob@example.com", profile_url="https://example.com/b",
            external_id="17", custom=custom)
        self.assertEqual(
            {name: made[name] for name in ("id", "name", "email", "profileUrl", "externalId")},
            {"id": "bob", "name": "Bob", "email": "bob@example.com",
             "profileUrl": "https://example.com/b", "externalId": "17"})
        self.assertEqual(made["custom"], custom)
        self.assertRegex(made["updated"], r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")
        read = self.sdk.get_uuid_metadata(uuid="bob", include_custom=True).sync().result.data
        self.assertEqual(read, made)
        # The same again is no change; the SDK sends null for what it leaves out.
        again = self.set_user(
            "bob", name="Bob", email="bob@example.com", profile_url="https://example.com/b",
            external_id="17", custom=custom)
        self.assertEqual(again, made)
        other = self.patch("uuids/bob", {"name": "Bobby"})["data"]
        self.assertEqual((other["name"], other["email"]), ("Bobby", "bob@example.com"))
        self.assertNotEqual(other["eTag"], made["eTag"])
        self.sdk.remove_uuid_metadata(uuid="bob").sync()
        with self.assertRaises(PubNubException) as gone:
            self.sdk.get_uuid_metadata(uuid="bob").sync()
        self.assertEqual(gone.exception.get_status_code(), 404)
        self.sdk.remove_uuid_metadata(uuid="bob").sync()

    def test_who_changes_it_is_told_of_their_own_change(self):
        """Whatever others change and remove before the answer is written: the tag is of it."""
        answers, gone = [], threading.Event()

        def change(who):
            web = self.rest(self.daemon)
            for number in range(60):
                name = f"{who}.{number}"
                path = f"{OBJECTS}/uuids/bob?uuid={who}"
                answers.append((name, web.ok(path, method="PATCH", body={"name": name})["data"]))

        def remove():
            web = self.rest(self.daemon)
            while not gone.is_set():
                web.ok(f"{OBJECTS}/uuids/bob?uuid=eve", method="DELETE")

        threads = [threading.Thread(target=change, args=(who,)) for who in "abc"]
        remover = threading.Thread(target=remove)
        for thread in [*threads, remover]:
            thread.start()
        for thread in threads:
            thread.join()
        gone.set()
        remover.join()
        self.assertEqual(len(answers), 180)
        self.assertEqual([name for name, _ in answers], [data["name"] for _, data in answers])
        self.assertEqual(len({data["eTag"] for _, data in answers}), 180)

    def test_what_was_changed_meanwhile_is_not_overwritten(self):
        first = self.set_user("bob", name="Bob")
        second = self.set_user("bob", name="Bobby")
        self.sdk.set_uuid_metadata(uuid="bob", name="Robert").if_matches_etag(
            second["eTag"]).sync()
        with self.assertRaises(PubNubException) as stale:
            self.sdk.set_uuid_metadata(uuid="bob", name="Rob").if_matches_etag(
                first["eTag"]).sync()
        self.assertEqual(stale.exception.get_status_code(), 412)
        self.assertEqual(
            stale.exception.get_error_message()["message"],
            "User to update has been modified after it was read.")
        ObjectsEndpoint._custom_headers.clear()
        read = self.sdk.get_uuid_metadata(uuid="bob").sync().result.data
        self.assertEqual(read["name"], "Robert")

    def test_all_users_in_pages_sorted_and_filtered(self):
        for number in range(25):
            self.set_user(
                f"u{number:02}", name=f"name {(number * 7) % 25:02}",
                custom={"level": number % 5})
        found, page = [], None
        while True:
            result = self.sdk.get_all_uuid_metadata(
                limit=10, include_total_count=True).page(page).sync().result
            if not result.data:
                break
            self.assertEqual(result.total_count, 25)
            found += [it["id"] for it in result.data]
            page = result.next
            self.assertIsInstance(page, Next)
        self.assertEqual(found, [f"u{number:02}" for number in range(25)])
        names, page = [], None
        while True:
            result = self.sdk.get_all_uuid_metadata(
                limit=10, sort_keys=[PNSortKey.desc(PNSortKeyValue.NAME)]).page(
                    page).sync().result
            if not result.data:
                break
            names += [it["name"] for it in result.data]
            page, previous = result.next, result.prev
        self.assertEqual(names, [f"name {number:02}" for number in reversed(range(25))])
        # Backward from the last page.
        self.assertIsInstance(previous, Previous)
        result = self.sdk.get_all_uuid_metadata(
            limit=10, sort_keys=[PNSortKey.desc(PNSortKeyValue.NAME)]).page(
                previous).sync().result
        self.assertEqual([it["name"] for it in result.data], names[10:20])
        result = self.sdk.get_all_uuid_metadata(
            filter='name LIKE "name 0*" && custom.level >= 3', include_custom=True,
            include_total_count=True).sync().result
        expected = [f"u{number:02}" for number in range(25)
                    if (number * 7) % 25 < 10 and number % 5 >= 3]
        self.assertEqual([it["id"] for it in result.data], expected)
        self.assertEqual(result.total_count, len(expected))
        with self.assertRaises(PubNubException) as wrong:
            self.sdk.get_all_uuid_metadata(filter="name ==").sync()
        self.assertEqual(wrong.exception.get_status_code(), 400)

    def test_members_and_memberships_say_the_same(self):
        self.set_user("bob", name="Bob", custom={"a": 1})
        self.sdk.set_channel_metadata(
            channel="room", name="The room", description="Here", custom={"b": 2}).sync()
        data = self.sdk.set_channel_members().channel("room").uuids([
            PNUUID.uuid("ada"), PNUUID.uuid_with_custom("bob", {"role": "owner"})]).include(
                MemberIncludes(custom=True, user=True, user_custom=True)).sync().result.data
        self.assertEqual([it["uuid"]["id"] for it in data], ["ada", "bob"])
        self.assertEqual(data[1]["uuid"]["custom"], {"a": 1})
        self.assertEqual([it["custom"] for it in data], [None, {"role": "owner"}])
        memberships = self.sdk.get_memberships().uuid("bob").include(
            MembershipIncludes(custom=True, channel=True, channel_custom=True)).sync().result.data
        self.assertEqual(len(memberships), 1)
        self.assertEqual(memberships[0]["custom"], {"role": "owner"})
        self.assertEqual(
            (memberships[0]["channel"]["id"], memberships[0]["channel"]["name"],
             memberships[0]["channel"]["custom"]), ("room", "The room", {"b": 2}))
        data = self.sdk.manage_channel_members().channel("room").set(
            [PNUUID.uuid("zoe")]).remove([PNUUID.uuid("ada")]).sync().result.data
        self.assertEqual([it["uuid"]["id"] for it in data], ["bob", "zoe"])
        self.sdk.set_memberships().uuid("bob").channel_memberships(
            [PNChannelMembership.channel("hall")]).sync()
        data = self.sdk.remove_memberships().uuid("bob").channel_memberships(
            [PNChannelMembership.channel("room")]).sync().result.data
        self.assertEqual([it["channel"]["id"] for it in data], ["hall"])
        self.assertEqual(
            [it["uuid"]["id"] for it in
             self.sdk.get_channel_members().channel("room").sync().result.data], ["zoe"])
        # Sorted by what is known of whom they are of.
        self.set_user("ann", name="Zz")
        self.sdk.set_channel_members().channel("room").uuids(
            [PNUUID.uuid("ann"), PNUUID.uuid("bob")]).sync()
        data = self.web.ok(
            f"{OBJECTS}/channels/room/uuids", {"sort": "uuid.name:desc", "include": "uuid"})["data"]
        self.assertEqual([it["uuid"]["id"] for it in data], ["ann", "bob", "zoe"])

    def test_who_goes_is_in_no_channel_any_more(self):
        self.set_user("bob", name="Bob")
        for room in ("a", "b"):
            self.sdk.set_channel_members().channel(room).uuids(
                [PNUUID.uuid("bob"), PNUUID.uuid("ada")]).sync()
        self.sdk.remove_uuid_metadata(uuid="bob").sync()
        self.assertEqual(
            [it["uuid"]["id"] for it in
             self.sdk.get_channel_members().channel("a").sync().result.data], ["ada"])
        self.sdk.set_channel_metadata(channel="a", name="A").sync()
        self.sdk.remove_channel_metadata(channel="a").sync()
        self.assertEqual(
            [it["channel"]["id"] for it in
             self.sdk.get_memberships().uuid("ada").sync().result.data], ["b"])

    def test_listeners_are_told(self):
        """By hand: the SDK's thread dies of such an event, in this release of it."""
        with LongPoll(self.daemon, "listener", "room", "bob") as poll:
            poll.handshake()
            self.set_user("bob", name="Bob")
            self.sdk.set_channel_metadata(channel="room", name="The room").sync()
            self.sdk.set_channel_members().channel("room").uuids([PNUUID.uuid("bob")]).sync()
            self.set_user("bob", name="Bobby")
            self.sdk.remove_uuid_metadata(uuid="bob").sync()
            told = poll.collect(9)
        self.assertEqual([it["e"] for it in told], [2] * 9)
        self.assertEqual(
            [(it["c"], it["d"]["event"], it["d"]["type"]) for it in told], [
                ("bob", "set", "uuid"), ("room", "set", "channel"),
                ("room", "set", "membership"), ("bob", "set", "membership"),
                # In the user's own channel, and where the user is a member.
                ("bob", "set", "uuid"), ("room", "set", "uuid"),
                ("room", "delete", "membership"), ("bob", "delete", "membership"),
                ("bob", "delete", "uuid")])
        data = told[4]["d"]["data"]
        self.assertEqual((data["id"], data["name"]), ("bob", "Bobby"))
        # Swift keeps what an event does not name: so what is not there is said to be null.
        self.assertEqual({name: data[name] for name in ("profileUrl", "email", "custom", "status")},
                         dict.fromkeys(("profileUrl", "email", "custom", "status")))
        self.assertEqual(
            {name: told[2]["d"]["data"][name] for name in ("channel", "uuid")},
            {"channel": {"id": "room"}, "uuid": {"id": "bob"}})
        self.assertEqual(told[8]["d"]["data"], {"id": "bob"})

    def test_refusals(self):
        for path, body, status in (
                ("uuids/bob", {"nme": "Bob"}, 400), ("uuids/bob", {"name": 3}, 400),
                ("uuids/bob", {"custom": []}, 400), ("uuids/bob", [], 400),
                ("uuids/bob", {"custom": {"x": "y" * 20_000}}, 413),
                ("channels/room/uuids", {"set": [{"id": "bob"}]}, 400),
                ("channels/room/uuids", {"set": [{"uuid": {"id": str(it)}}
                                                 for it in range(101)]}, 400)):
            answer = self.web.ask("PATCH", f"{OBJECTS}/{path}", body=body)
            self.assertEqual(answer.status, status, (path, body))
            self.assertEqual(answer.json()["error"]["source"], "objects")
        answer = self.web.get(f"{OBJECTS}/uuids", {"sort": "nme"})
        self.assertEqual(answer.status, 400)
        answer = self.web.get(f"{OBJECTS}/uuids", {"start": "abc"})
        self.assertEqual(answer.status, 400)

    def test_names_with_everything_and_a_restart(self):
        name = "ü/ï +%👍"
        answer = self.patch(f"uuids/{quoted(name)}", {"name": name})
        self.assertEqual(answer["data"]["id"], name)
        self.daemon.restart()
        self.web = self.rest(self.daemon)
        self.assertEqual(
            self.web.ok(f"{OBJECTS}/uuids/{quoted(name)}")["data"], answer["data"])

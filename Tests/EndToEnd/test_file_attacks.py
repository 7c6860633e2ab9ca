"""Who takes places, room and rights of files from others, and what stops them."""

import pathlib
import signal
import socket
import threading
import unittest
import urllib.parse

from pubnub.models.consumer.v3.channel import Channel

from files import KEYSET, MIB, FilesTestCase, form
from waiting import PATIENCE, until

SECRET = "s" * 32
OTHER = """
    [keyset other]
    publish_key = pub-other
    subscribe_key = sub-other
    files = yes
    """


class GuardedTestCase(FilesTestCase):
    def guarded(self, *lines):
        self.begin(f"secret_key = {SECRET}", "access_control = yes", *lines)
        self.backend = self.client(self.daemon, "backend", secret_key=SECRET).sdk

    def token(self, user, minutes=9):
        channel = Channel.id("room").read().write().delete()
        return self.backend.grant_token().authorized_uuid(user).ttl(minutes).channels(
            [channel]).sync().result.token

    def granted_to(self, user, token):
        return self.granted(web=self.rest(self.daemon, user), auth=token)


class Places(GuardedTestCase):
    """Uploads and downloads that go on for ever."""

    def test_one_user_takes_no_more_than_a_share_of_the_uploads(self):
        self.guarded()
        eve, ada = self.token("eve"), self.token("ada")
        peers = [self.half(self.granted_to("eve", eve)[0]) for _ in range(8)]
        until(lambda: self.figures()["_uploads_open"] == 8, "8 uploads")
        status, _, body = self.ask("POST", self.granted_to("eve", eve)[0], *form(b"1"))
        self.assertEqual((status, b"As many of your files" in body), (503, True), body)
        self.assertEqual(self.ask("POST", self.granted_to("ada", ada)[0], *form(b"1"))[0], 204)
        self.assertEqual(self.figures()['_refusals_total{limit="share"}'], 1)
        peers[0].close()
        until(lambda: self.ask("POST", self.granted_to("eve", eve)[0], *form(b"1"))[0] == 204,
              "a place")

    def test_where_nobody_proves_who_it_is_an_address_has_a_share_and_a_tenant_another(self):
        self.daemon = self.start_daemon(configuration=KEYSET + OTHER)
        self.web = self.rest(self.daemon)
        peers = [self.half(self.granted(web=self.rest(self.daemon, f"eve{number}"))[0])
                 for number in range(8)]
        until(lambda: self.figures()["_uploads_open"] == 8, "8 uploads")
        url, _ = self.granted(web=self.rest(self.daemon, "eve9"))
        self.assertEqual(self.ask("POST", url, *form(b"1"))[0], 503)
        other = self.rest(self.daemon, keys=("pub-other", "sub-other"))
        self.assertEqual(self.ask("POST", self.granted(web=other)[0], *form(b"1"))[0], 204)
        del peers

    def test_an_upload_that_rests_or_trickles_is_cut(self):
        self.begin()
        peers = [self.head(self.granted()[0], MIB, form(b"")[1]), self.half(self.granted()[0])]
        body, kind = form(b"x" * MIB)
        trickle = self.head(self.granted()[0], len(body), kind)
        peers.append(trickle)
        left = iter(body)
        self.trickles(lambda: trickle.sendall(bytes([next(left)])) or True)
        for peer in peers:
            peer.settimeout(max(PATIENCE, 60))
            try:
                self.assertEqual(peer.recv(100), b"")
            except ConnectionResetError:
                pass
        until(lambda: self.figures()["_uploads_open"] == 0, "the end of the uploads")
        until(lambda: not list(self.directory.glob("*.part")), "the end of what was begun")
        self.assertEqual(self.listed()["data"], [])

    def trickles(self, step):
        """Does something now and then beside the test, until it fails or comes to nothing."""
        ended = threading.Event()

        def go_on():
            try:
                while not ended.wait(0.2) and step():
                    pass
            except OSError:
                pass

        thread = threading.Thread(target=go_on)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(ended.set)

    def large(self, megabytes=32):
        url, file = self.granted("big.bin")
        self.assertEqual(self.ask("POST", url, *form(b"x" * (megabytes * MIB)))[0], 204)
        return self.url(file, "big.bin"), file

    def unread(self, url, source="127.0.0.1"):
        """Asks for a file, and reads nothing of it."""
        peer = socket.socket()
        peer.bind((source, 0))
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.addCleanup(peer.close)
        peer.connect(self.daemon.address)
        peer.sendall(f"GET {urllib.parse.urlsplit(url).path} HTTP/1.1\r\n"
                     "Host: 127.0.0.1\r\n\r\n".encode())
        return peer

    def test_downloads_that_nobody_reads_have_a_share_and_are_cut(self):
        self.daemon = self.start_daemon(configuration=KEYSET + "max_file_bytes = 64M" + OTHER)
        self.web = self.rest(self.daemon)
        url, _ = self.large()
        peers = [self.unread(url) for _ in range(64)]
        until(lambda: self.figures()["_downloads_open"] == 64, "64 downloads")
        self.assertEqual(self.ask("GET", url)[0], 503)
        other = self.rest(self.daemon, keys=("pub-other", "sub-other"))
        upload, file = self.granted(web=other)
        self.assertEqual(self.ask("POST", upload, *form(b"1"))[0], 204)
        address = other.get(f"/v1/files/{{sub}}/channels/room/files/{file}/a.txt")
        self.assertEqual(self.ask("GET", address.headers["location"])[2], b"1")
        # One takes a little now and then.
        self.trickles(lambda: peers[0].recv(16))
        until(lambda: self.figures()["_downloads_open"] == 0, "the end of the downloads")
        self.assertEqual(self.ask("GET", url)[0], 200)

    def test_an_address_that_was_passed_on_takes_no_place_of_who_has_it(self):
        self.guarded("max_file_bytes = 64M")
        ada = self.token("ada")
        url, file = self.granted_to("ada", ada)
        self.assertEqual(self.ask("POST", url, *form(b"x" * (8 * MIB)))[0], 204)
        address = self.rest(self.daemon, "ada").get(
            f"/v1/files/{{sub}}/channels/room/files/{file}/a.txt", {"auth": ada})
        url = address.headers["location"]
        peers = [self.unread(url, "127.0.0.2") for _ in range(64)]
        until(lambda: self.figures()["_downloads_open"] == 64, "64 downloads")
        self.assertEqual(self.ask("GET", url)[0], 200)
        del peers

    def test_a_file_that_is_deleted_is_read_no_further_and_takes_no_room(self):
        self.begin("max_file_bytes = 64M", "stored_bytes_max = 40M")
        url, file = self.large()
        peers = [self.unread(url) for _ in range(4)]
        until(lambda: self.figures()["_downloads_open"] == 4, "4 downloads")
        self.sdk.delete_file().channel("room").file_id(file).file_name("big.bin").sync()

        def is_open():
            places = pathlib.Path(f"/proc/{self.daemon.process.pid}/fd").iterdir()
            return any(file in str(it.readlink()) for it in places if it.is_symlink())

        until(lambda: not is_open(), "the end of what was open")
        # The ledger hears of the file's end when that has been removed.
        again = form(b"x" * (32 * MIB))
        until(lambda: self.ask("POST", self.granted("big.bin")[0], *again)[0] == 204, "room")
        for peer in peers:
            peer.settimeout(PATIENCE)
            count = 0
            while part := peer.recv(MIB):
                count += len(part)
            self.assertLess(count, 32 * MIB)


class Room(FilesTestCase):
    """The tenant's quota."""

    def test_what_is_under_way_counts(self):
        self.begin("stored_bytes_max = 3M", "max_file_bytes = 2M")
        body, kind = form(b"x" * (2 * MIB - 1))
        peer = self.head(self.granted()[0], len(body), kind)
        until(lambda: list(self.directory.glob("*.part")), "a part")
        status, _, _ = self.ask("POST", self.granted()[0], body, kind)
        self.assertEqual(status, 429)
        self.assertEqual(self.figures()['_refusals_total{limit="quota"}'], 1)
        peer.close()
        until(lambda: self.ask("POST", self.granted()[0], body, kind)[0] == 204, "room")
        # What just fits is not refused for the form around it.
        rest = 3 * MIB - len(self.listed()["data"]) * (2 * MIB - 1) - 1000
        self.assertEqual(self.ask("POST", self.granted()[0], *form(b"x" * rest))[0], 204)
        self.assertEqual(self.ask("POST", self.granted()[0], *form(b"x" * MIB))[0], 429)


class Rights(GuardedTestCase):
    """Addresses that outlive what they rest on."""

    def test_an_address_ends_with_its_token(self):
        self.guarded()
        eve, ada = self.token("eve"), self.token("ada")
        url, file = self.granted_to("eve", eve)
        begun, _ = self.granted_to("eve", eve)
        body, kind = form(b"x" * 200_000)
        peer = self.head(begun, len(body), kind)
        peer.sendall(body[:100_000])
        until(lambda: list(self.directory.glob("*.part")), "a part")
        self.backend.revoke_token(eve).sync()
        status, _, text = self.ask("POST", url, *form(b"1"))
        self.assertEqual((status, b"AccessDenied" in text), (403, True))
        # Nor does one that was begun before come to a file.
        peer.sendall(body[100_000:])
        self.assertEqual(peer.recv(100).split(b" ")[1], b"403")
        web = self.rest(self.daemon, "ada")
        self.assertEqual(web.ok("/v1/files/{sub}/channels/room/files", {"auth": ada})["data"], [])
        until(lambda: not list(self.directory.iterdir()), "the end of what was begun")
        self.assertEqual(self.ask("POST", self.granted_to("ada", ada)[0], *form(b"1"))[0], 204)
        self.assertNotEqual(file, "")

    def test_a_deleted_file_does_not_come_back_under_its_id(self):
        self.begin()
        url, file = self.granted()
        self.assertEqual(self.ask("POST", url, *form(b"1"))[0], 204)
        self.sdk.delete_file().channel("room").file_id(file).file_name("a.txt").sync()
        until(lambda: not list(self.directory.iterdir()), "the end of the file")
        self.assertEqual(self.ask("POST", url, *form(b"2"))[0], 409)
        self.assertEqual(self.listed()["data"], [])
        self.assertEqual(list(self.directory.iterdir()), [])

    def test_an_address_ends_with_what_the_owner_lets_be(self):
        self.begin()
        url, _ = self.granted("a.txt")
        path = self.configuration_path
        path.write_text(path.read_text("utf-8").replace(
            "files = yes", "files = yes\nfile_types = image/*"), "utf-8")
        self.daemon.process.send_signal(signal.SIGHUP)
        until(lambda: "Configuration reloaded." in self.daemon.log(), "the new rule")
        self.assertEqual(self.ask("POST", url, *form(b"1"))[0], 403)
        self.assertEqual(self.listed()["data"], [])


if __name__ == "__main__":
    unittest.main()

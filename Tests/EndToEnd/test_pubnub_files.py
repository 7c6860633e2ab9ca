"""Files of PubNub's API: brought, listed, fetched and taken away, by the SDK and by hand."""

import hashlib
import json
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.parse

from pubnub.enums import PNPushType
from pubnub.exceptions import PubNubException
from pubnub.models.consumer.v3.channel import Channel

from daemon import SANITIZED, binary, clean_environment, run_to_end
from disk import SmallDisk, cannot_mount, readiness
from files import FILES, GENERATE, KEYSET, MIB, FilesTestCase, form
from rest import KEYS, quoted
from waiting import until

class Files(FilesTestCase):
    """What SDKs do."""

    def test_it_comes_is_listed_fetched_told_of_and_taken_away(self):
        self.begin()
        # By hand: the listeners' thread of Python's SDK 10.8 dies of an event of a file.
        poll = self.poll(self.daemon, "bob", "room")
        content = bytes(range(256)) * 1000
        sent = self.send(content, "ü & 1.png")

        event, = poll.turn()
        self.assertEqual((event["e"], event["i"], event.get("cmt")), (4, "ada", None))
        self.assertEqual(event["d"], {
            "message": {"text": "look"}, "file": {"id": sent.file_id, "name": "ü & 1.png"}})
        found = self.sdk.list_files().channel("room").sync().result
        self.assertEqual([(it["name"], it["id"], it["size"]) for it in found.data],
                         [("ü & 1.png", sent.file_id, len(content))])
        status, headers, body = self.ask("GET", self.url(sent.file_id, sent.name))
        self.assertEqual((status, body), (200, content))
        self.assertEqual(headers["Content-Type"], "image/png")
        self.assertEqual(headers["Content-Disposition"],
                         "attachment; filename*=UTF-8''%C3%BC%20%26%201.png")
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        message, = self.sdk.fetch_messages().channels("room").include_message_type(
            True).sync().result.channels["room"]
        self.assertEqual(message.message["file"], {"id": sent.file_id, "name": "ü & 1.png"})
        raw = self.web.ok("/v3/history/sub-key/{sub}/channel/room", {
            "include_message_type": "true", "include_custom_message_type": "true"})
        self.assertEqual(raw["channels"]["room"][0]["message_type"], 4)
        self.assertNotIn("custom_message_type", raw["channels"]["room"][0])

        url = self.url(sent.file_id, sent.name)
        self.sdk.delete_file().channel("room").file_id(sent.file_id).file_name(sent.name).sync()
        self.assertEqual(self.listed()["data"], [])
        until(lambda: not list(self.directory.iterdir()), "the end of the file")
        self.assertEqual(self.ask("GET", url)[0], 404)

    def test_the_sdk_fetches_what_it_sent(self):
        self.begin()
        sent = self.send(b"x" * 300_000, "x.bin")
        found = self.sdk.download_file().channel("room").file_id(sent.file_id).file_name(
            sent.name).sync().result.data
        self.assertEqual(found, b"x" * 300_000)

    def test_a_custom_type_stays(self):
        self.begin()
        sent = self.send(b"1", "n")
        poll = self.poll(self.daemon, "bob", "room")
        payload = quoted(json.dumps({"message": 1, "file": {"id": sent.file_id, "name": "n"}}))
        self.web.ok(f"/v1/files/publish-file/{{pub}}/{{sub}}/0/room/0/{payload}",
                    {"custom_message_type": "photo"})
        event, = poll.turn()
        self.assertEqual((event["e"], event["cmt"], event["d"]["file"]["name"]), (4, "photo", "n"))

    def test_a_message_tells_of_a_file_that_is_there(self):
        self.begin()
        sent, other = self.send(b"1", "n"), self.send(b"1", "n", channel="other")
        path = "/v1/files/publish-file/{pub}/{sub}/0/room/0/"
        for status, payload in (
                (404, {"message": 1, "file": {"id": sent.file_id, "name": "m"}}),
                (404, {"message": 1, "file": {"id": other.file_id, "name": "n"}}),
                (404, {"message": 1, "file": {"id": "1", "name": "n"}}),
                (400, {"message": 1}), (400, {"file": {"id": sent.file_id}}), (400, [1]), (400, 1)):
            answer = self.web.get(path + quoted(json.dumps(payload)))
            self.assertEqual((answer.status, answer.json()[0]), (status, 0), payload)
        # Encrypted as a whole, so that nobody here can tell.
        self.web.ok(path + quoted(json.dumps("U2FsdGVk")))
        # As with PubNub, each call is a message of its own.
        good = {"message": 2, "file": {"id": sent.file_id, "name": "n"}}
        one, two = (self.web.ok(path + quoted(json.dumps(good)))[2] for _ in range(2))
        self.assertNotEqual(one, two)
        self.sdk.delete_file().channel("room").file_id(sent.file_id).file_name("n").sync()
        self.assertEqual(self.web.get(path + quoted(json.dumps(good))).status, 404)

    def test_parts_and_what_is_known_already(self):
        self.begin()
        content = hashlib.sha256(b"1").digest() * 10_000
        sent = self.send(content, "a.tiff")
        url = self.url(sent.file_id, "a.tiff")
        tag = self.ask("GET", url)[1]["ETag"]
        self.assertEqual(tag, f'"{sent.file_id}"')
        status, headers, body = self.ask("HEAD", url)
        self.assertEqual((status, body, headers["Content-Length"], headers["ETag"],
                          headers["Accept-Ranges"], headers["Content-Type"]),
                         (200, b"", str(len(content)), tag, "bytes", "image/tiff"))
        for field, span in (("bytes=0-9", (0, 9)), ("bytes=100000-", (100_000, 319_999)),
                            ("bytes=-5", (319_995, 319_999)), ("bytes=9-999999", (9, 319_999))):
            status, headers, body = self.ask("GET", url, headers={"Range": field})
            self.assertEqual((status, headers["Content-Range"], headers["Content-Length"]), (
                206, f"bytes {span[0]}-{span[1]}/320000", str(span[1] - span[0] + 1)))
            self.assertEqual(body, content[span[0]:span[1] + 1])
        status, headers, _ = self.ask("GET", url, headers={"Range": "bytes=320000-"})
        self.assertEqual((status, headers["Content-Range"]), (416, "bytes */320000"))
        for fields, expected in (
                ({"Range": "bytes=0-1,5-6"}, 200), ({"Range": "nonsense"}, 200),
                ({"Range": "bytes=0-1", "If-Range": tag}, 206),
                ({"Range": "bytes=0-1", "If-Range": '"other"'}, 200),
                ({"If-None-Match": '"other"'}, 200), ({"If-None-Match": f'"x", W/{tag}'}, 304),
                ({"If-None-Match": "*"}, 304)):
            status, headers, body = self.ask("GET", url, headers=fields)
            self.assertEqual((status, headers["ETag"]), (expected, tag), fields)
            self.assertEqual(len(body), {200: 320_000, 206: 2, 304: 0}[status])
        self.sdk.delete_file().channel("room").file_id(sent.file_id).file_name("a.tiff").sync()
        until(lambda: self.ask("HEAD", url)[0] == 404, "the end of the file")
        self.assertEqual(self.ask("GET", url, headers={"If-None-Match": tag})[0], 404)
        until(lambda: self.figures()["_downloads_open"] == 0, "the end of the downloads")

    def test_an_empty_file(self):
        self.begin()
        upload, file = self.granted("e.txt")
        self.assertEqual(self.ask("POST", upload, *form(b""))[0], 204)
        url = self.url(file, "e.txt")
        self.assertEqual(self.ask("GET", url)[::2], (200, b""))
        self.assertEqual(self.ask("GET", url, headers={"Range": "bytes=0-"})[0], 416)

    def purge(self):
        done = subprocess.run(
            [binary("syncctl"), "admin", "channels", "purge", "room", "--keyset", KEYS[1], "--json",
             "--data-dir", self.daemon.data_dir],
            capture_output=True, text=True, check=False, env=clean_environment())
        return json.loads(done.stdout) if done.returncode == 0 else done.stderr

    def test_a_purge_of_a_channel_takes_its_files_along(self):
        self.begin()
        for number in range(3):
            self.send(b"1", f"{number}.txt")
        kept = self.send(b"kept", "k.txt", channel="other")
        found = self.purge()
        self.assertEqual((found["messages"], found["files"], "moreFiles" in found), (3, 3, False))
        until(lambda: [it.name for it in self.directory.iterdir()] == [kept.file_id], "their end")
        self.assertEqual(self.listed()["data"], [])
        # Also where there is nothing else.
        self.assertEqual(self.purge()["files"], 0)
        self.assertEqual(self.ask("POST", self.granted()[0], *form(b"1"))[0], 204)
        self.assertEqual(self.purge()["files"], 1)
        until(lambda: [it.name for it in self.directory.iterdir()] == [kept.file_id], "its end")

    def test_config_check_looks_at_the_directory(self):
        self.begin()
        self.send(b"1", "a.txt")
        self.daemon.stop()

        def check():
            code, said, error = run_to_end(
                "config", "check", "--config", str(self.configuration_path), "--data-dir",
                self.daemon.data_dir)
            return code, said + error

        self.assertEqual(check()[0], 0)
        self.directory.chmod(0o755)
        code, said = check()
        self.assertEqual((code, f"chmod 700 {self.directory}" in said), (0, True), said)
        away = self.directory.with_name("away")
        self.directory.rename(away)
        self.assertEqual(check()[0], 0, "it is made")
        self.directory.symlink_to(away)
        code, said = check()
        self.assertEqual((code, "symbolic link" in said), (2, True), said)
        self.directory.unlink()
        self.directory.write_text("no directory", "utf-8")
        code, said = check()
        self.assertEqual((code, "not a directory" in said), (2, True), said)

    def test_pages_of_every_origin_read_what_they_have_the_address_of(self):
        self.begin()
        sent = self.send(b"Hello")
        url = self.url(sent.file_id, sent.name)
        page = {"Origin": "https://elsewhere.example", "Sec-Fetch-Site": "cross-site"}
        picture = {"Sec-Fetch-Site": "cross-site"}
        for fields in (page, picture):
            status, headers, body = self.ask("GET", url, headers=fields)
            self.assertEqual((status, body), (200, b"Hello"))
            self.assertEqual(headers["Access-Control-Allow-Origin"], "*")
            self.assertIsNone(headers["Access-Control-Allow-Credentials"])
            self.assertEqual(headers["Cross-Origin-Resource-Policy"], "cross-origin")
        self.assertEqual(self.ask("GET", url, headers={**page, "Range": "bytes=1-2"})[2], b"el")
        bad = url.replace("/download/", "/download/x")
        self.assertEqual(self.ask("GET", bad, headers=page)[1]["Access-Control-Allow-Origin"], "*")
        status, headers, _ = self.ask("OPTIONS", url, headers={
            **page, "Access-Control-Request-Method": "GET",
            "Access-Control-Request-Headers": "if-none-match"})
        self.assertEqual(
            (status, headers["Access-Control-Allow-Origin"], headers["Access-Control-Allow-Methods"]),
            (204, "*", "GET, HEAD"))
        self.assertIn("If-None-Match", headers["Access-Control-Allow-Headers"])
        # Nothing else is open to them, uploads included.
        upload, _ = self.granted()
        self.assertEqual(self.ask("POST", upload, *form(b"1"), headers=page)[0], 403)
        self.assertEqual(self.ask("GET", f"http://x{FILES.format(sub=KEYS[1])}", headers=page)[0],
                         403)

    def test_pages(self):
        self.begin()
        for number in range(5):
            self.send(b"1", f"{number}.txt")
        names, query = [], {"limit": 2}
        while True:
            page = self.listed(**query)
            names += [it["name"] for it in page["data"]]
            self.assertEqual(page["count"], len(page["data"]))
            if page["next"] is None:
                break
            query["next"] = page["next"]
        self.assertEqual(names, [f"{number}.txt" for number in range(5)])

    def test_too_large(self):
        self.begin("max_file_bytes = 1M")
        self.assertTrue(self.send(b"x" * MIB).file_id)
        for size in (MIB + 1, 10 * MIB):
            with self.assertRaises(PubNubException) as refused:
                self.send(b"x" * size)
            self.assertIn("Your proposed upload exceeds the maximum allowed size",
                          str(refused.exception))
        self.assertEqual(len(self.listed()["data"]), 1)
        until(lambda: len(list(self.directory.iterdir())) == 1, "the end of the others")

    def test_only_some_types(self):
        self.begin("file_types = image/*, application/pdf")
        self.send(name="a.PNG")
        self.send(name="a.pdf")
        with self.assertRaises(PubNubException) as refused:
            self.send(name="a.html")
        self.assertEqual(refused.exception.get_status_code(), 415)

    def test_without_the_setting_there_are_none(self):
        daemon = self.start_daemon()
        self.web = self.rest(daemon)
        self.assertEqual(self.web.get(FILES).status, 403)
        self.assertEqual(self.web.ask("POST", GENERATE, body=b'{"name":"a"}').status, 403)

    def test_files_address(self):
        self.begin("files_url = https://files.example.com")
        self.assertTrue(self.granted()[0].startswith("https://files.example.com/v1/files/upload/"))

    def test_rights(self):
        self.begin("secret_key = " + "s" * 32, "access_control = yes")
        backend = self.client(self.daemon, "backend", secret_key="s" * 32).sdk

        def holder(**rights):
            channel = Channel.id("room")
            for right in rights:
                getattr(channel, right)()
            sdk = self.client(self.daemon, "ada").sdk
            sdk.set_token(backend.grant_token().authorized_uuid("ada").ttl(9).channels(
                [channel]).sync().result.token)
            return sdk

        def refused(call):
            with self.assertRaises(PubNubException) as caught:
                call.sync()
            self.assertEqual(caught.exception.get_status_code(), 403)

        writer, reader, remover = holder(write=1), holder(read=1), holder(delete=1)
        sent = self.send(sdk=writer)

        def about(call):
            return call.channel("room").file_id(sent.file_id).file_name(sent.name)

        refused(writer.list_files().channel("room"))
        refused(about(writer.get_file_url()))
        refused(about(reader.delete_file()))
        with self.assertRaises(PubNubException):
            self.send(sdk=reader)
        self.assertEqual(len(reader.list_files().channel("room").sync().result.data), 1)
        self.assertEqual(about(reader.download_file()).sync().result.data, b"Hello")
        about(remover.delete_file()).sync()
        self.assertEqual(reader.list_files().channel("room").sync().result.data, [])


class Attacks(FilesTestCase):
    """What strangers try."""

    def absent(self, method, path):
        answer = self.web.ask(method, path)
        if method == "GET":
            # As PubNub does: its SDKs show where a file would be.
            self.assertEqual(answer.status, 307, path)
            status, _, body = self.ask("GET", answer.headers["location"])
            self.assertEqual((status, b"NoSuchKey" in body), (404, True), path)
            return
        self.assertEqual(answer.status, 404, (method, path))
        self.assertEqual(answer.json()["error"]["message"],
                         "There is no such file in this channel.", (method, path))

    def test_what_was_deleted_is_fetched_no_more(self):
        self.begin()
        sent = self.send(b"gone", "g.txt")
        path = f"{FILES}/{sent.file_id}/g.txt"
        self.assertEqual(self.web.get(path).status, 307)
        self.assertEqual(self.web.ask("DELETE", path).status, 200)
        for method in ("GET", "DELETE"):
            self.absent(method, path)

    def test_a_file_is_fetched_and_removed_by_its_own_channel_and_name_alone(self):
        """Who may read one channel could know the ids of another's files."""
        self.begin()
        sent = self.send(b"secret", "a.txt", channel="other")
        own = f"/v1/files/{{sub}}/channels/other/files/{sent.file_id}"
        for path in (f"{FILES}/{sent.file_id}/a.txt", f"{own}/b.txt"):
            for method in ("GET", "DELETE"):
                self.absent(method, path)
        for method in ("GET", "DELETE"):
            self.absent(method, f"{FILES}/1/a.txt")
            self.absent(method, f"{FILES}/9ffc2a30-9203-471b-8d6b-a7a3bd700afc/a.txt")
        url = self.web.get(f"{own}/a.txt").headers["location"]
        self.assertEqual(self.ask("GET", url)[2], b"secret")

    def test_nobody_uploads_without_a_grant(self):
        self.begin()
        url, _ = self.granted()
        body, kind = form(b"1")
        base, ticket = url.rsplit("/", 1)
        claims, _, code = ticket.partition(".")
        sent = self.send(b"1", "a.txt", channel="other")
        own = f"/v1/files/{{sub}}/channels/other/files/{sent.file_id}/a.txt"
        download = self.web.get(own).headers["location"].split("/")[-2]
        self.assertGreater(len(download), 100)
        for bad in ("x", ".", claims, f"{claims}.", f"{claims}.{code[:-1]}A{code[-1]}",
                    f"A{ticket}", download, "%2e%2e", "."):
            with self.subTest(bad=bad):
                self.assertEqual(self.ask("POST", f"{base}/{bad}", body, kind)[0], 403)
        self.assertEqual(self.ask("POST", url, body, kind)[0], 204)
        self.assertEqual(len(self.listed()["data"]), 1)
        # A second file under the same id is none.
        self.assertNotEqual(self.ask("POST", url, body, kind)[0], 204)
        self.assertEqual(len(self.listed()["data"]), 1)

    def test_names_are_no_paths(self):
        self.begin()
        for name in ("../x", "a/b", "..", ".", "", "a\\b", "a\r\nSet-Cookie: x", "\0", "x" * 256):
            answer = self.web.ask("POST", GENERATE, body=json.dumps({"name": name}).encode())
            self.assertEqual(answer.status, 400, name)
            self.assertIn(". and .. are no names", str(answer.json()))
        sent = self.send(b"1", 'a"; x=y.txt')
        _, headers, _ = self.ask("GET", self.url(sent.file_id, sent.name))
        self.assertEqual(headers["Content-Disposition"],
                         "attachment; filename*=UTF-8''a%22%3B%20x%3Dy.txt")
        for file in ("..", "../../syncdaemon.db", "%2e%2e%2fsyncdaemon.db"):
            self.absent("GET", f"{FILES}/{quoted(file)}/x")

    def test_forms_that_are_none(self):
        self.begin()
        good, kind = form(b"1")
        two = form(b"1")[0].replace(b"--\r\n", b"\r\n") + good
        for name, body, type_ in (
                ("no type", good, "text/plain"), ("another boundary", good,
                 "multipart/form-data; boundary=other"), ("cut", good[:-5], kind),
                ("no file", form(b"1", "other")[0], kind), ("two files", two, kind),
                ("a long field", form(b"1", more=form(b"x" * 70_000, "k")[0][:-15] + b"\r\n")[0],
                 kind), ("empty", b"", kind)):
            with self.subTest(name):
                self.assertIn(self.ask("POST", self.granted()[0], body, type_)[0], (400, 411))
        self.assertEqual(self.listed()["data"], [])
        until(lambda: not list(self.directory.iterdir()), "what was begun is gone")

    def test_a_body_larger_than_granted_is_not_read(self):
        self.begin()
        url, _ = self.granted()
        path = urllib.parse.urlsplit(url).path
        for length in (6 * MIB, 999_999_999):
            with socket.create_connection(self.daemon.address, timeout=30) as peer:
                peer.sendall(f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {length}\r\n"
                             "Content-Type: multipart/form-data; boundary=b\r\n\r\n".encode())
                self.assertIn(peer.recv(100).split(b" ")[1], (b"400", b"413"))

    def test_memory_does_not_grow_with_files(self):
        self.begin("max_file_bytes = 200M")
        content = hashlib.sha256(b"1").digest() * (2 * MIB)
        self.send(b"1")
        before = self.memory()
        url, file = self.granted("big.bin")
        self.assertEqual(self.ask("POST", url, *form(content))[0], 204)
        _, _, body = self.ask("GET", self.url(file, "big.bin"))
        self.assertEqual(hashlib.sha256(body).digest(), hashlib.sha256(content).digest())
        if not SANITIZED:
            self.assertLess(self.memory() - before, 16 * MIB)

    def memory(self):
        status = pathlib.Path(f"/proc/{self.daemon.process.pid}/status").read_text("ascii")
        line, = (it for it in status.splitlines() if it.startswith("VmHWM"))
        return int(line.split()[1]) * 1024

    def test_who_hangs_up_leaves_nothing(self):
        self.begin()
        peer = self.half(self.granted()[0])
        until(lambda: list(self.directory.glob("*.part")), "a part")
        peer.close()
        until(lambda: not list(self.directory.iterdir()), "the end of the part")
        self.assertEqual(self.listed()["data"], [])


class Watched(FilesTestCase):
    """What operators see of files."""

    def test_figures(self):
        self.begin("max_file_bytes = 1M", "stored_bytes_max = 3M")
        self.assertEqual(set(self.figures().values()), {0})
        first = self.send(b"x" * 1000, "a.txt")
        self.send(b"y" * 500, "b.txt")
        self.assertEqual(self.ask("GET", self.url(first.file_id, "a.txt"))[2], b"x" * 1000)
        # Refused before it begins, for its size; and after it has, for what stands in it.
        self.head(self.granted()[0], 2 * MIB, "multipart/form-data; boundary=b").recv(100)
        self.assertEqual(self.ask("POST", self.granted()[0], form(b"x" * 1000)[0],
                                  "multipart/form-data; boundary=other")[0], 400)
        self.sdk.delete_file().channel("room").file_id(first.file_id).file_name("a.txt").sync()
        until(lambda: self.figures()["s"] == 1, "the end of a file")
        found = self.figures()
        self.assertEqual(
            {name: found[name] for name in ("s", "s_bytes", "_uploads_total", "_downloads_total",
             "_upload_failures_total", "_download_failures_total", "_uploads_open",
             '_refusals_total{limit="size"}')},
            {"s": 1, "s_bytes": 500, "_uploads_total": 3, "_downloads_total": 1,
             "_upload_failures_total": 1, "_download_failures_total": 0, "_uploads_open": 0,
             '_refusals_total{limit="size"}': 1})

        for _ in range(3):
            self.ask("POST", self.granted()[0], *form(b"z" * (MIB - 1)))
        until(lambda: self.figures()["s"] == 3, "the end of one over the quota")
        self.assertEqual(self.figures()['_refusals_total{limit="quota"}'], 1)
        peers = [self.half(self.granted()[0], b"x" * 60_000) for _ in range(8)]
        until(lambda: self.figures()["_uploads_open"] == 8, "8 uploads")
        self.assertEqual(self.ask("POST", self.granted()[0], *form(b"1"))[0], 503)
        self.assertEqual(self.figures()['_refusals_total{limit="share"}'], 1)
        failed = self.figures()["_upload_failures_total"]
        for peer in peers:
            peer.close()
        until(lambda: self.figures()["_uploads_open"] == 0, "the end of the uploads")
        self.assertEqual(self.figures()["_upload_failures_total"], failed + 8)

        self.daemon.restart()
        self.web = self.rest(self.daemon)
        self.assertEqual({name: it for name, it in self.figures().items() if it},
                         {"s": 3, "s_bytes": 500 + 2 * (MIB - 1)})

    def test_little_room_is_a_trouble_only_where_there_are_files(self):
        if reason := cannot_mount():
            self.skipTest(reason)
        disk = SmallDisk(64 * MIB)
        self.addCleanup(disk.close)
        self.daemon = self.start_daemon(configuration=KEYSET, data_dir=disk.data_dir)
        until(lambda: "uploads leave 256 MiB of it free (fileReserveBytes)" in
              readiness(self.daemon)[1], "the trouble")
        path = self.configuration_path
        path.write_text(path.read_text("utf-8").replace("files = yes", "files = no"), "utf-8")
        self.daemon.process.send_signal(signal.SIGHUP)
        until(lambda: readiness(self.daemon) == (200, "ready\n"), "the end of the trouble")

    def test_a_directory_that_cannot_be_written_is_told_and_stops_nothing_else(self):
        self.begin()
        kept = self.send(b"kept", "k.txt")
        away = self.directory.with_name("away")
        self.directory.rename(away)
        until(lambda: "files_failing: " in readiness(self.daemon)[1], "the trouble")
        self.assertEqual(readiness(self.daemon)[0], 200)
        self.assertEqual(readiness(self.daemon, "/healthz")[0], 200)
        self.directory.mkdir()
        self.assertEqual(self.ask("POST", self.granted()[0], *form(b"1"))[0], 500)
        self.assertEqual(len(self.listed()["data"]), 1)
        self.web.publish("room", "others go on")
        self.assertEqual(list(self.directory.iterdir()), [])

        self.directory.rmdir()
        away.rename(self.directory)
        until(lambda: readiness(self.daemon) == (200, "ready\n"), "the end of the trouble")
        self.assertEqual(self.ask("GET", self.url(kept.file_id, "k.txt"))[2], b"kept")
        self.assertEqual(self.ask("POST", self.granted()[0], *form(b"1"))[0], 204)
        log = self.daemon.log()
        self.assertEqual(log.count("The directory of files cannot be written."), 1)
        self.assertEqual(log.count("Files can be written again."), 1)


class Moved(FilesTestCase):
    """Files that go to another machine, and come back from a backup."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="syncdaemon-files-")
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        self.target = self.scratch / "target"

    def syncctl(self, *arguments, kibibytes_max=64 * 1024):
        """Runs it to its end within so much memory; returns what it said."""
        most = 0
        with tempfile.TemporaryFile() as said:
            tool = subprocess.Popen(
                [binary("syncctl"), *map(str, arguments)], stdout=said,
                stderr=subprocess.STDOUT, env=clean_environment())
            # Not ru_maxrss, which has what this process had when it forked.
            while tool.poll() is None:
                status = pathlib.Path(f"/proc/{tool.pid}/status").read_text(encoding="ascii")
                found = re.search(r"^VmHWM:\s+(\d+) kB", status, re.MULTILINE)
                most = max(most, int(found.group(1)) if found else 0)
                time.sleep(0.002)
            said.seek(0)
            text = said.read().decode()
        self.assertEqual(tool.returncode, 0, text)
        self.assertTrue(0 < most < kibibytes_max or SANITIZED, most)
        return text

    def served(self):
        """A daemon on the target, in the place of the first one."""
        self.daemon = self.start_daemon(configuration=KEYSET, data_dir=str(self.target))
        self.web, self.directory = self.rest(self.daemon), self.target / "files"
        return self.client(self.daemon, "ada").sdk

    def test_a_tenant_goes_to_another_machine_with_files_and_devices(self):
        self.begin("max_file_bytes = 200M")
        small = self.send(b"small", "é.txt")
        url, big = self.granted("big.bin")
        content = hashlib.sha256(b"1").digest() * (4 * MIB)
        self.assertEqual(self.ask("POST", url, *form(content))[0], 204)
        self.sdk.add_channels_to_push(["room", "den"], "token", PNPushType.FCM).sync()
        listed = self.listed()
        export, files = self.scratch / "export.jsonl", self.scratch / "contents"

        # Without contents first: files are left out, and said.
        self.assertIn("--files", self.syncctl(
            "export", "--keyset", KEYS[1], "--data-dir", self.daemon.data_dir,
            "--output", self.scratch / "rows.jsonl"))
        self.assertIn("2 files are left out", self.syncctl(
            "import", self.scratch / "rows.jsonl", "--data-dir", self.target))
        self.assertEqual(list((self.target / "files").iterdir()), [])
        said = self.syncctl("export", "--keyset", KEYS[1], "--data-dir", self.daemon.data_dir,
                            "--output", export, "--files", files)
        self.assertIn("2 files", said)
        self.assertEqual({it.stat().st_mode & 0o777 for it in files.iterdir()}, {0o600})
        said = self.syncctl("import", export, "--data-dir", self.target, "--files", files)
        self.assertIn("2 rows written", said)
        self.assertIn("0 rows written", self.syncctl(
            "import", export, "--data-dir", self.target, "--files", files))

        self.daemon.stop()
        sdk = self.served()
        self.assertEqual(self.listed(), listed)
        for file, name, expected in ((small.file_id, "é.txt", b"small"), (big, "big.bin", content)):
            status, _, found = self.ask("GET", self.url(file, name))
            self.assertEqual((status, found == expected), (200, True))
        self.assertEqual(
            sdk.list_push_channels("token", PNPushType.FCM).sync().result.channels,
            ["den", "room"])

    def test_an_import_that_is_killed_amid_a_file_goes_on(self):
        self.begin("max_file_bytes = 500M")
        url, big = self.granted("big.bin")
        content = b"0123456789abcdef" * (12 * MIB)
        self.assertEqual(self.ask("POST", url, *form(content))[0], 204)
        export, files = self.scratch / "export.jsonl", self.scratch / "contents"
        self.syncctl("export", "--all", "--data-dir", self.daemon.data_dir, "--output", export,
                     "--files", files)
        arguments = ["import", export, "--data-dir", self.target, "--files", files]
        tool = subprocess.Popen([binary("syncctl"), *map(str, arguments)],
                                stdout=subprocess.DEVNULL, env=clean_environment())
        until(lambda: list(self.target.glob("files/*.part")) or tool.poll() is not None, "a part")
        tool.kill()
        self.assertNotEqual(tool.wait(), 0, "it was over before it could be killed")

        self.assertIn("1 rows written", self.syncctl(*arguments))
        self.daemon.stop()
        self.served()
        self.assertEqual([it["id"] for it in self.listed()["data"]], [big])
        self.assertEqual(self.ask("GET", self.url(big, "big.bin"))[2], content)

    def test_a_backup_and_a_copy_of_the_directory_behind_it(self):
        self.begin()
        one, two = self.send(b"one", "1.txt"), self.send(b"two", "2.txt")
        backup = self.scratch / "backup.db"
        _, said, _ = run_to_end("backup", "--data-dir", self.daemon.data_dir, str(backup))
        self.assertIn(f"The contents of 2 files are not in it: copy {self.directory} now", said)
        # What happens until the directory is copied.
        self.send(b"three", "3.txt")
        self.sdk.delete_file().channel("room").file_id(two.file_id).file_name("2.txt").sync()
        until(lambda: len(list(self.directory.iterdir())) == 2, "the end of a file")
        copied = self.scratch / "files"
        shutil.copytree(self.directory, copied)

        self.daemon.stop()
        _, said, _ = run_to_end("restore", "--data-dir", str(self.target), str(backup))
        self.assertIn(f"2 files belong into {self.target}/files", said)
        shutil.copytree(copied, self.target / "files")
        self.served()
        self.assertEqual([it["id"] for it in self.listed()["data"]], [one.file_id, two.file_id])
        self.assertEqual(self.ask("GET", self.url(one.file_id, "1.txt"))[2], b"one")
        self.assertEqual(self.ask("GET", self.url(two.file_id, "2.txt"))[0], 404)
        self.assertEqual({it.name for it in self.directory.iterdir()}, {one.file_id, "unknown"})
        # What came behind the backup is not lost.
        self.assertEqual([it.read_bytes() for it in (self.directory / "unknown").iterdir()],
                         [b"three"])


class Crashes(FilesTestCase):
    """What a crash leaves."""

    def test_what_was_answered_is_there_and_nothing_else(self):
        self.begin()
        sent = self.send(b"kept", "k.txt")
        peer = socket.create_connection(self.daemon.address)
        self.addCleanup(peer.close)
        body, kind = form(b"x" * 200_000)
        path = urllib.parse.urlsplit(self.granted()[0]).path
        peer.sendall(f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n"
                     f"Content-Type: {kind}\r\n\r\n".encode() + body[:100_000])
        until(lambda: list(self.directory.glob("*.part")), "a part")
        self.daemon.kill()
        (self.directory / "00000000-0000-4000-8000-000000000000").write_bytes(b"nobody's")
        (self.directory / "README").write_bytes(b"not ours")
        self.daemon.start()
        self.web = self.rest(self.daemon)
        self.assertEqual(sorted(it.name for it in self.directory.iterdir()),
                         sorted([sent.file_id, "README", "unknown"]))
        self.assertEqual([it.read_bytes() for it in (self.directory / "unknown").iterdir()],
                         [b"nobody's"])
        self.assertEqual([it["id"] for it in self.listed()["data"]], [sent.file_id])
        self.assertEqual(self.ask("GET", self.url(sent.file_id, "k.txt"))[2], b"kept")

    def test_a_link_in_the_place_of_a_file_is_not_followed(self):
        self.begin()
        sent = self.send(b"1", "a.txt")
        (self.directory / sent.file_id).unlink()
        (self.directory / sent.file_id).symlink_to("/etc/passwd")
        self.assertNotEqual(self.ask("GET", self.url(sent.file_id, "a.txt"))[0], 200)


if __name__ == "__main__":
    unittest.main()

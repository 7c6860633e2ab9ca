"""What tests of files have in common."""

import http.client
import json
import pathlib
import socket
import urllib.parse

from disk import readiness
from rest import KEYS, quoted
from sdk import PubNubTestCase

FILES = "/v1/files/{sub}/channels/room/files"
GENERATE = "/v1/files/{sub}/channels/room/generate-upload-url"
KEYSET = f"""
    [keyset demo]
    publish_key = {KEYS[0]}
    subscribe_key = {KEYS[1]}
    files = yes
    """
MIB = 1024 * 1024


def form(content, name="file", boundary="b0undary", more=b""):
    """A form with one file, and its Content-Type."""
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"; filename="f"\r\n\r\n'
    body = more + head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
    return body, f"multipart/form-data; boundary={boundary}"


class FilesTestCase(PubNubTestCase):
    def begin(self, *lines):
        self.daemon = self.start_daemon(configuration=KEYSET + "".join(f"{it}\n    " for it in lines))
        self.sdk = self.client(self.daemon, "ada").sdk
        self.web = self.rest(self.daemon)
        self.directory = pathlib.Path(self.daemon.data_dir) / "files"

    def send(self, content=b"Hello", name="hello.txt", sdk=None, channel="room"):
        return (sdk or self.sdk).send_file().channel(channel).file_name(name).message(
            {"text": "look"}).should_store(True).file_object(content).sync().result

    def listed(self, **query):
        return self.web.ok(FILES, query)

    def ask(self, method, url, body=None, kind=None, headers=()):
        """A request by a connection of its own; its status, headers and body."""
        parts = urllib.parse.urlsplit(url)
        connection = http.client.HTTPConnection(*self.daemon.address, timeout=60)
        self.addCleanup(connection.close)
        fields = {**dict(headers), **({"Content-Type": kind} if kind else {})}
        connection.request(method, parts.path, body, fields)
        answer = connection.getresponse()
        found = answer.status, answer.headers, answer.read()
        connection.close()
        return found

    def granted(self, name="a.txt", web=None, **query):
        """The address of an upload, and the id that the file will have."""
        answer = (web or self.web).ok(
            GENERATE, query, method="POST", body=json.dumps({"name": name}).encode())
        return answer["file_upload_request"]["url"], answer["data"]["id"]

    def url(self, file, name):
        return self.web.get(f"{FILES}/{file}/{quoted(name)}").headers["location"]

    def head(self, url, length, kind):
        """Begins an upload of so many bytes, and sends none."""
        peer = socket.create_connection(self.daemon.address, timeout=30)
        self.addCleanup(peer.close)
        peer.sendall(f"POST {urllib.parse.urlsplit(url).path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                     f"Content-Length: {length}\r\nContent-Type: {kind}\r\n\r\n".encode())
        return peer

    def half(self, url, content=b"x" * 200_000):
        """Begins an upload and leaves it there."""
        body, kind = form(content)
        peer = self.head(url, len(body), kind)
        peer.sendall(body[:len(body) // 2])
        return peer

    def figures(self):
        """The rows of `/metrics` that are about files, by their names and labels."""
        lines = readiness(self.daemon, "/metrics")[1].splitlines()
        pairs = (it.removeprefix("syncdaemon_file").split(" ") for it in lines
                 if it.startswith("syncdaemon_file"))
        return {name: int(value) for name, value in pairs}

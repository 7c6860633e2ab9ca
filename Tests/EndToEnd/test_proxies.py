"""Proxies in front of the daemon: the PROXY protocol by hand, and the manual's recipes as they are.

Each recipe is taken from docs/OPERATIONS.md; only ports, paths and names are other ones.
"""

import pathlib
import re
import socket
import ssl
import struct
import subprocess
import time
import unittest

import manual
from case import eventually
from daemon import run_to_end
from raw import Ended, RawClient
from rest import LongPoll
from test_tls import Authority
from test_tls_listener import SecureClient, SecureTestCase
from waiting import until

SIGNATURE = b"\r\n\r\n\x00\r\nQUIT\n"


def line(client, family="TCP4", server="127.0.0.1"):
    """A header of version 1."""
    return f"PROXY {family} {client} {server} 12345 443\r\n".encode()


def binary_header(client=None, command=1, more=b""):
    """A header of version 2; without a client it names nobody."""
    body = b""
    family = 0
    if client is not None:
        family = 0x21 if ":" in client else 0x11
        kind = socket.AF_INET6 if ":" in client else socket.AF_INET
        body = socket.inet_pton(kind, client) * 2 + struct.pack("!HH", 12345, 443)
    body += more
    return SIGNATURE + bytes([0x20 | command, family]) + struct.pack("!H", len(body)) + body


class Headers(SecureTestCase):
    """By hand."""

    def begin(self, more="", proxies="127.0.0.1, 10.0.0.0/8"):
        return self.start_secure(
            more=f"[server]\nproxy_protocol_from = {proxies}\ninsecure = yes\n"
            f"admin_listen = 127.0.0.1:0\n{more}")

    def client(self, header):
        client = RawClient(self.daemon.address)
        self.addCleanup(client.socket.close)
        client.send(header)
        return client

    def peers(self):
        """Whom the log takes the clients of proxies for, in order."""
        return re.findall(r"Connection is for a client\. .*peer=(\S+) proxy=127", self.daemon.log())

    def test_both_versions_name_the_client(self):
        self.begin()
        wanted = []
        for header, peer in (
                (line("192.0.2.7"), "192.0.2.7"),
                (line("2001:db8::7", "TCP6", "::1"), "2001:db8:0:0:0:0:0:7"),
                (binary_header("192.0.2.8"), "192.0.2.8"),
                (binary_header("2001:db8::8"), "2001:db8:0:0:0:0:0:8"),
                (binary_header("192.0.2.9", more=b"\x04\x00\x02ab"), "192.0.2.9"),
                (b"PROXY UNKNOWN\r\n", "127.0.0.1"), (binary_header(command=0), "127.0.0.1"),
                (binary_header("192.0.2.1", command=0), "127.0.0.1")):
            with self.subTest(header):
                client = self.client(header + b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                self.assertEqual(client.answer().status, 200)
                wanted.append(peer)
        self.assertEqual(self.peers(), wanted)
        for header in (line("192.0.2.7"), binary_header("192.0.2.8")):
            with RawClient(self.daemon.address) as slowly:
                slowly.send_slowly(header)
                self.assertEqual(slowly.get().status, 200)
        # Sessions, too.
        self.client(line("192.0.2.7")).hello().command("publish", channel="room", payload=1)

    def test_below_it_may_be_tls(self):
        self.begin()
        plain = RawClient(self.daemon.secure_address)
        plain.send(binary_header("192.0.2.7"))
        plain.socket = self.context().wrap_socket(plain.socket, server_hostname="localhost")
        self.addCleanup(plain.socket.close)
        self.assertEqual(plain.get().status, 200)
        self.assertEqual(self.peers(), ["192.0.2.7"])
        # A client that comes without one is no client, whatever it speaks.
        with self.assertRaises((ssl.SSLError, ConnectionError)):
            SecureClient(self.daemon.secure_address, self.context())

    def test_who_must_send_one_and_does_not_is_refused(self):
        self.begin()
        for data in (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", b"PROXY TCP4 nonsense\r\n",
                     SIGNATURE + b"\x31\x11\x00\x00", b"PROXY UNKNOWN " + b"x" * 100,
                     SIGNATURE + b"\x21\x11\xff\xff"):
            with self.subTest(data[:20]):
                answer = self.client(data).answer()
                self.assertEqual(answer.status, 400)
                self.assertIn("PROXY header", answer.json()["error"])
        self.assertIn("proxy_protocol_from is refused", self.daemon.log())

    def test_one_that_does_not_come_is_not_waited_for(self):
        self.begin()
        for data in (b"", b"PROXY TCP4 192.0.2.7", SIGNATURE):
            with self.subTest(data):
                self.assertEqual(self.client(data).rest(), b"")
        until(lambda: self.daemon.log().count("no PROXY header came in time") == 3, "the log")

    def test_nobody_else_may_send_one(self):
        for proxies in ("10.0.0.0/8", ""):
            with self.subTest(proxies):
                self.begin(proxies=proxies)
                for header in (line("10.0.0.1"), binary_header("10.0.0.1"), b"PROXY UNKNOWN\r\n"):
                    client = self.client(header + b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
                    self.assertEqual(client.answer().status, 400)
                    client.rest()
                self.assertEqual(self.peers(), [])

    def test_limits_are_those_of_the_client(self):
        self.begin("connections_per_address = 2\n")
        # One after the other: several reactors read at the same time.
        mine = []
        for _ in range(2):
            mine.append(self.client(line("192.0.2.7")))
            self.assertEqual(mine[-1].get().status, 200)
        self.assertEqual(self.client(line("192.0.2.7")).rest(), b"")
        other = self.client(line("192.0.2.8"))
        self.assertEqual(other.get().status, 200)
        # A place is given back to whom it was taken from.
        mine[0].socket.close()

        def again():
            with RawClient(self.daemon.address) as client:
                client.send(line("192.0.2.7"))
                try:
                    return client.get().status == 200
                except Ended:
                    return False

        until(again, "a place")

    def test_what_is_for_the_machine_itself_is_not_for_a_proxys_clients(self):
        self.begin()
        for peer in ("192.0.2.7", "127.0.0.1"):
            client = self.client(line(peer))
            self.assertEqual(client.get("/metrics").status, 404)
            client = self.client(line(peer))
            client.send(client.upgrade_request("Origin: http://localhost:3000"))
            self.assertEqual(client.answer().status, 403)
            client = self.client(line(peer))
            client.address = ("evil.example", 80)
            self.assertEqual(client.get().status, 421)
        with RawClient(self.daemon.admin_address) as operator:
            self.assertEqual(operator.get("/metrics").status, 200)

    def test_it_asks_for_access_control(self):
        code, _, error = run_to_end(
            "serve", "--listen", "127.0.0.1:0", "--proxy-protocol-from", "127.0.0.1", "--store",
            "memory")
        self.assertEqual(code, 2)
        self.assertIn("there is no access control", error)


class Recipes(SecureTestCase):
    """The manual's, each with the proxy that it is for."""

    def begin(self, more):
        settings = manual.recipes("Behind a reverse proxy", "ini")[0]
        for old, new in (
                ("[server]\n", "[server]\ninsecure = yes\n"), ("chat.example", "localhost"),
                ("127.0.0.1:8081", "127.0.0.1:0"), *more):
            self.assertIn(old, settings)
            settings = settings.replace(old, new)
        self.daemon = self.start(settings, environment={"SYNCDAEMON_LOG_LEVEL": "debug"})
        self.authority = Authority(self.folder(), "authority")
        self.certificate, self.key = self.authority.certificate("DNS:localhost")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.place = pathlib.Path(self.folder())

    def recipe(self, language, number=0):
        """With the test's ports and files in place of the manual's."""
        text = manual.recipes("Behind a reverse proxy", language)[number]
        both = self.place / "both.pem"
        both.write_bytes(self.certificate.read_bytes() + self.key.read_bytes())
        for old, new in (
                ("/etc/ssl/chat.example.both.pem", both), ("/etc/ssl/chat.example.pem", self.certificate),
                ("/etc/ssl/chat.example.key", self.key),
                ("listen 443", f"listen 127.0.0.1:{self.port}"),
                ("bind :443", f"bind 127.0.0.1:{self.port}"),
                ("chat.example {", f"https://localhost:{self.port} {{"),
                ("chat.example", "localhost"),
                ("127.0.0.1:8080", f"127.0.0.1:{self.daemon.port}")):
            text = text.replace(old, str(new))
        return text

    def run_proxy(self, command, text, name):
        """Starts a proxy in the foreground, and waits until it takes connections."""
        path = self.place / name
        path.write_text(text)
        self.output = self.place / "output"
        with open(self.output, "wb") as output:
            proxy = subprocess.Popen(
                [word.format(path) for word in command], stdin=subprocess.DEVNULL,
                stdout=output, stderr=output, cwd=self.place, env={
                    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(self.place),
                    "XDG_DATA_HOME": str(self.place), "XDG_CONFIG_HOME": str(self.place)})
        self.addCleanup(proxy.wait)
        self.addCleanup(proxy.terminate)

        def takes():
            if proxy.poll() is not None:
                raise AssertionError(self.output.read_text())
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                with self.client() as client:
                    return client.get("/v1/sync").status == 426
            except (OSError, Ended):
                return False

        until(takes, f"{name}: {self.output.read_text()}", pause=0.1)

    def client(self):
        """Through the proxy, by the name that it goes by."""
        client = SecureClient(("127.0.0.1", self.port), self.context())
        client.address = ("localhost", self.port)
        return client

    def nginx(self, text, context):
        load = ""
        if context == "stream":
            load = "load_module /usr/lib/nginx/modules/ngx_stream_module.so;\n"
        else:
            paths = "".join(
                f"{kind}_temp_path {self.place}/{kind};\n"
                for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
            text = f"http {{\n{paths}{text}}}\n"
        self.run_proxy(
            ["nginx", "-p", str(self.place), "-c", "{}", "-g", "daemon off;"],
            f"{load}pid {self.place}/pid;\nerror_log stderr;\nevents {{}}\n{text}", "nginx.conf")

    async def serves(self, is_named):
        """A session and a long poll through the proxy, and where the daemon says they are from."""
        self.daemon.secure_address = ("127.0.0.1", self.port)
        with self.over_wss() as there:
            ada = await self.device(there, "ada")
            await ada.subscribe("room")
            poll = LongPoll(None, "bob", "room")
            poll.rest.__dict__["http"] = self.client()
            with poll:
                poll.turn()
                poll.begin()
                time.sleep(0.2)  # Most often it waits by then; it is answered either way.
                await ada.command("publish", channel="room", payload="through the proxy")
                self.assertEqual([each["d"] for each in poll.finish()], ["through the proxy"])
            await eventually(
                lambda: len(ada.rows["room"].messages) == 1, "the message", lambda: ada.frames)
            # Both from 127.0.0.1; who is named is told from who is only connected by the port.
            clients = self.daemon.log().count("Connection is for a client.")
            if is_named:
                self.assertGreaterEqual(clients, 2)
            else:
                self.assertEqual(clients, 0)

    def keeps_to_clients(self, large=32_000):
        """What SDKs put into targets comes through, and what operators ask for does not."""
        with self.client() as client:
            message = "%22" + "x" * large + "%22"
            answer = client.get(f"/publish/demo/demo/0/long/0/{message}?uuid=ada")
            self.assertEqual(answer.status, 200, answer.body)
        for path in ("/healthz", "/readyz", "/metrics"):
            with self.client() as client:
                self.assertIn(client.get(path).status, (403, 404), path)

    def named_elsewhere(self):
        """A client at another address than the proxy's is taken for who it is."""
        plain = socket.socket()
        self.addCleanup(plain.close)
        plain.bind(("127.0.0.9", 0))
        plain.connect(("127.0.0.1", self.port))
        with self.context().wrap_socket(plain, server_hostname="localhost") as client:
            client.sendall(b"GET /v1/sync HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.assertIn(b" 426 ", client.recv(65536))
        until(lambda: re.search(r"peer=127\.0\.0\.9 proxy=127\.0\.0\.1", self.daemon.log()),
              "the client's address in the log")

    async def test_nginx(self):
        self.begin([])
        self.nginx(self.recipe("nginx"), "stream")
        await self.serves(is_named=True)
        self.named_elsewhere()

    async def test_nginx_with_paths(self):
        self.begin([("proxy_protocol_from = 127.0.0.1\n", "")])
        self.nginx(self.recipe("nginx", 1), "http")
        await self.serves(is_named=False)
        self.keeps_to_clients()

    async def test_haproxy(self):
        self.begin([])
        self.run_proxy(["haproxy", "-db", "-f", "{}"], self.recipe("haproxy"), "haproxy.cfg")
        await self.serves(is_named=True)
        self.keeps_to_clients()
        self.named_elsewhere()
        # Its own checks are the proxy's, and nobody's client.
        until(lambda: re.search(r"peer=127\.0\.0\.1 proxy=127\.0\.0\.1", self.daemon.log()),
              "a check of HAProxy's")

    async def test_caddy(self):
        self.begin([("proxy_protocol_from = 127.0.0.1\n", "")])
        text = "{\nadmin off\nskip_install_trust\nauto_https disable_redirects\n}\n" + self.recipe("caddy")
        self.run_proxy(
            ["caddy", "run", "--config", "{}", "--adapter", "caddyfile"], text, "Caddyfile")
        await self.serves(is_named=False)
        self.keeps_to_clients()


if __name__ == "__main__":
    unittest.main()

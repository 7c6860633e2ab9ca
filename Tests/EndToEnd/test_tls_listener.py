"""TLS of the daemon itself: what it speaks, what it refuses, and certificates that change."""

import contextlib
import datetime
import os
import socket
import ssl
import subprocess
import sys
import tempfile
import textwrap
import types
import unittest
import warnings

from case import eventually
from daemon import PATIENCE, binary, clean_environment, run_to_end
from raw import Ended, RawClient
from rest import Rest
from test_reload import ReloadTestCase
from test_tls import Authority
from waiting import WORK_ALONE_MAX, until


#: Puts two passed sockets where systemd puts them, the second one with the name that it gives.
TRAMPOLINE = """
import fcntl, os, sys
first, second = (fcntl.fcntl(int(each), fcntl.F_DUPFD, 100) for each in sys.argv[1:3])
os.dup2(first, 3)
os.dup2(second, 4)
os.environ.update(
    LISTEN_PID=str(os.getpid()), LISTEN_FDS="2", LISTEN_FDNAMES="syncdaemon.socket:" + sys.argv[3])
os.execv(sys.argv[4], sys.argv[4:])
"""


class SecureClient(RawClient):
    """A client by hand, over TLS."""

    def __init__(self, address, context, server_name="localhost", **options):
        super().__init__(address, **options)
        plain = self.socket
        try:
            self.socket = context.wrap_socket(plain, server_hostname=server_name)
        finally:
            # It was given away, unless the handshake failed.
            plain.close()

    @property
    def certificate(self):
        return self.socket.getpeercert(binary_form=True)


class SecureRest(Rest):
    """An SDK's requests by hand, over TLS."""

    def __init__(self, address, context, user="raw"):
        super().__init__(None, user)
        self.__dict__["http"] = SecureClient(address, context)


class SecureTestCase(ReloadTestCase):
    """A daemon with a certificate of an authority that the test's clients trust."""

    def start_secure(self, more="", certificate=None, credentials=False, **options):
        self.authority = Authority(self.folder(), "authority")
        certificate, key = certificate or self.authority.certificate("DNS:localhost")
        self.files = types.SimpleNamespace(
            certificate=self.authority.folder / "live.pem", key=self.authority.folder / "live.key")
        self.put(certificate, key)
        place = "credential:" if credentials else f"{self.authority.folder}/"
        self.text = (
            f"[tls]\nlisten = 127.0.0.1:0\ncertificate_file = {place}live.pem\n"
            f"key_file = {place}live.key\n{more}")
        environment = {"SYNCDAEMON_LOG_LEVEL": "debug"}
        if credentials:
            environment["CREDENTIALS_DIRECTORY"] = str(self.authority.folder)
        self.daemon = self.start(self.text, environment=environment, **options)
        return self.daemon

    def folder(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        return directory.name

    def put(self, certificate, key):
        """What a renewal does: the files of the configuration get other contents."""
        self.files.certificate.write_bytes(certificate.read_bytes())
        self.files.key.touch(0o600)
        self.files.key.write_bytes(key.read_bytes())

    def context(self, lowest=None, highest=None, ciphers=None, protocols=None):
        context = ssl.create_default_context(cafile=self.authority.file)
        # Debian's OpenSSL refuses by itself what the daemon has to refuse.
        context.set_ciphers(ciphers or "ALL:@SECLEVEL=0")
        with warnings.catch_warnings():
            # Of versions that the daemon has to refuse.
            warnings.simplefilter("ignore", DeprecationWarning)
            context.minimum_version = lowest or ssl.TLSVersion.MINIMUM_SUPPORTED
            context.maximum_version = highest or ssl.TLSVersion.MAXIMUM_SUPPORTED
        if protocols:
            context.set_alpn_protocols(protocols)
        return context

    def connect(self, **options):
        client = SecureClient(self.daemon.secure_address, self.context(**options))
        self.addCleanup(client.socket.close)
        return client

    @contextlib.contextmanager
    def over_wss(self):
        """What `Device` connects to."""
        before = os.environ.get("SSL_CERT_FILE")
        os.environ["SSL_CERT_FILE"] = str(self.authority.file)
        try:
            yield types.SimpleNamespace(
                url=f"wss://localhost:{self.daemon.secure_address[1]}/v1/sync")
        finally:
            os.environ.pop("SSL_CERT_FILE")
            if before is not None:
                os.environ["SSL_CERT_FILE"] = before

    def metric(self, name):
        with RawClient(self.daemon.address) as client:
            for line in client.get("/metrics").body.decode().splitlines():
                if line.startswith(f"syncdaemon_{name} "):
                    return int(line.split()[1])
        return None


class Speaks(SecureTestCase):
    """Versions, ciphers and protocols."""

    def setUp(self):
        self.start_secure()

    def test_versions(self):
        for version in (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1):
            with self.subTest(version), self.assertRaises(ssl.SSLError) as caught:
                self.connect(lowest=version, highest=version)
            self.assertIn("PROTOCOL_VERSION", caught.exception.reason)
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            with self.subTest(version):
                client = self.connect(lowest=version, highest=version)
                self.assertEqual(client.get().status, 200)
                name = client.socket.cipher()[0]
                self.assertTrue("GCM" in name or "CHACHA20" in name, name)
        # Two of the old ones, and none of the good ones.
        self.assertEqual(self.metric("tls_handshake_failures_total"), 2)
        self.assertEqual(self.metric("tls_handshakes_total"), 2)

    def test_only_ephemeral_keys_and_authenticated_ciphers(self):
        for ciphers in ("ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384", "AES128-GCM-SHA256",
                        "NULL", "DHE+AESGCM"):
            with self.subTest(ciphers), self.assertRaises(ssl.SSLError):
                self.connect(ciphers=ciphers + ":@SECLEVEL=0", highest=ssl.TLSVersion.TLSv1_2)

    def test_alpn(self):
        with self.assertRaises(ssl.SSLError) as caught:
            self.connect(protocols=["h2"])
        until(lambda: "no application protocol" in self.daemon.log(), caught.exception)
        client = self.connect(protocols=["h2", "http/1.1"])
        self.assertEqual(client.socket.selected_alpn_protocol(), "http/1.1")
        self.assertEqual(client.get().status, 200)
        self.assertIsNone(self.connect().socket.selected_alpn_protocol())

    def test_nothing_to_resume_and_nothing_compressed(self):
        client = self.connect(highest=ssl.TLSVersion.TLSv1_2)
        self.assertFalse(client.socket.session.has_ticket)
        self.assertIsNone(client.socket.compression())

    def openssl(self, commands, *arguments):
        """What `openssl s_client` says when it is given these lines."""
        host, port = self.daemon.secure_address
        client = subprocess.Popen(
            ["openssl", "s_client", "-connect", f"{host}:{port}", "-CAfile", self.authority.file,
             *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.addCleanup(client.wait)
        self.addCleanup(client.kill)
        self.addCleanup(client.stdout.close)
        self.addCleanup(client.stdin.close)
        said = b""
        os.set_blocking(client.stdout.fileno(), False)

        def hears(mark):
            nonlocal said
            said += client.stdout.read() or b""
            return mark in said

        until(lambda: hears(b"---\nNew") or hears(b"Verify return code"), "the handshake")
        for line, mark in commands:
            # It takes a line for a command only when it comes alone.
            said = b""
            client.stdin.write(line)
            client.stdin.flush()
            until(lambda: hears(mark), mark)
        return said

    def test_renegotiation_is_refused(self):
        self.openssl([(b"R\n", b"no renegotiation")], "-tls1_2")

    def test_new_keys_are_made(self):
        request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        self.openssl(
            [(b"K\n", b"KEYUPDATE"), (b"k\n", b"KEYUPDATE"), (request, b"200 OK")], "-tls1_3")

    def test_speaking_otherwise(self):
        with RawClient(self.daemon.secure_address) as client:
            answer = client.get()
            self.assertEqual(answer.status, 400)
            self.assertIn("https://", answer.json()["error"])
            self.assertEqual(client.rest(), b"")
        for data in (b"\x00" * 100, b"\x16\x03\x01\x00\x05hello", os.urandom(3000), b"\x80\x2e\x01",
                     b"PROXY TCP4 192.0.2.1 127.0.0.1 1 2\r\n" + b"\x16\x03\x01"):
            with self.subTest(data[:10]), RawClient(self.daemon.secure_address) as client:
                client.send(data)
                client.finish()
                client.rest()
        plain = RawClient(self.daemon.address)
        with plain, self.assertRaises(ssl.SSLError):
            self.context().wrap_socket(plain.socket, server_hostname="localhost")
        self.assertEqual(self.connect().get().status, 200)

    def test_what_is_changed_on_the_way_ends_the_connection(self):
        client = self.connect()
        self.assertEqual(client.get().status, 200)
        with socket.socket(fileno=os.dup(client.socket.fileno())) as plain:
            plain.sendall(b"\x17\x03\x03\x00\x20" + os.urandom(32))
        with self.assertRaises((ssl.SSLError, Ended)):
            client.take(1)
        self.assertEqual(self.connect().get().status, 200)

    def test_a_client_that_has_said_all_still_gets_its_answer(self):
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        session = self.context().wrap_bio(incoming, outgoing, server_hostname="localhost")
        with RawClient(self.daemon.secure_address) as client:
            def step(action):
                while True:
                    try:
                        return action()
                    except ssl.SSLWantReadError:
                        client.send(outgoing.read())
                        incoming.write(client.socket.recv(65536))
            step(session.do_handshake)
            session.write(client.request(target="/time/0"))
            with contextlib.suppress(ssl.SSLWantReadError):
                session.unwrap()
            # The request and the end, in one piece.
            client.send(outgoing.read())
            incoming.write(client.rest())
            self.assertTrue(session.read(65536).startswith(b"HTTP/1.1 200 "))


class Slow(SecureTestCase):
    """Who does not come to an end with the handshake."""

    def test_a_slow_handshake_is_ended_and_nobody_else_is_hindered(self):
        self.start_secure()
        silent = RawClient(self.daemon.secure_address)
        begun = RawClient(self.daemon.secure_address)
        begun.send(b"\x16\x03\x01\x02\x00\x01")
        slow = [silent, begun]
        for client in slow:
            self.addCleanup(client.socket.close)
        self.assertEqual(self.connect().get().status, 200)
        for client in slow:
            self.assertEqual(client.rest(), b"")
        until(lambda: self.daemon.log().count("its TLS handshake took too long") == 2, "the log")
        self.assertEqual(self.connect().get().status, 200)

    def test_a_handshake_without_end_is_ended(self):
        self.start_secure()
        with RawClient(self.daemon.secure_address) as client:
            # A ClientHello may claim 128 KiB, in records of 16 KiB.
            client.send(b"\x16\x03\x01\x40\x00\x01\x01\xf0\x00" + b"\x00" * 16380)
            for _ in range(7):
                client.send(b"\x16\x03\x01\x40\x00" + b"\x00" * 16384)
            client.rest()
        until(lambda: "TLS handshake" in self.daemon.log(), "a line in the log")
        self.assertEqual(self.connect().get().status, 200)


class Clients(SecureTestCase):
    """Those that people use, and what they do."""

    async def test_sessions_and_polls(self):
        self.start_secure()
        with self.over_wss() as there:
            ada = await self.device(there, "ada")
            plain = await self.device(self.daemon, "bob")
            await ada.subscribe("room")
            await plain.subscribe("room")
            # Several records each way, and many frames at once.
            for number in range(40):
                await plain.command(
                    "publish", channel="room", payload={"n": number, "x": "x" * 20_000})
                await ada.command("publish", channel="room", payload={"n": number})
            await eventually(
                lambda: len(ada.rows["room"].messages) == 80, "80 messages",
                lambda: ada.frames)
            page = await ada.command("history", channel="room", limit=100)
            # A page ends with the bytes that it may have.
            self.assertGreater(len(page["messages"]), 20)
        context = self.context()
        with SecureRest(self.daemon.secure_address, context) as rest:
            answer = rest.ask("GET", "/v2/subscribe/{sub}/room/0")
            self.assertEqual(answer.status, 200)

    def test_syncctl(self):
        self.start_secure()
        url = f"wss://localhost:{self.daemon.secure_address[1]}"
        def tool(*arguments):
            return subprocess.run(
                [binary("syncctl"), *arguments, "--url", url, "--ca-file", self.authority.file],
                capture_output=True, text=True, timeout=PATIENCE * WORK_ALONE_MAX, check=False,
                env=clean_environment(USER="ada"))
        done = tool("publish", "room", "hi")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        shown = tool("history", "room")
        self.assertEqual(shown.stdout.split(None, 1)[1], "ada: hi\n")

    def test_pubnubs_sdk(self):
        self.start_secure()
        program = textwrap.dedent(f"""
            from pubnub.pnconfiguration import PNConfiguration
            from pubnub.pubnub import PubNub
            made = PNConfiguration()
            made.publish_key, made.subscribe_key, made.user_id = "demo", "demo", "ada"
            made.origin = "localhost:{self.daemon.secure_address[1]}"
            made.connect_timeout = made.non_subscribe_request_timeout = 300
            pubnub = PubNub(made)
            assert made.ssl
            pubnub.publish().channel("room").message("hi").sync()
            page = pubnub.fetch_messages().channels(["room"]).sync()
            print([item.message for item in page.result.channels["room"]])
        """)
        for trusted, says in ((self.authority.file, "['hi']\n"), ("/dev/null", "")):
            with self.subTest(trusted=str(trusted)):
                done = subprocess.run(
                    [sys.executable, "-c", program], capture_output=True, text=True, check=False,
                    timeout=PATIENCE * WORK_ALONE_MAX,
                    env=clean_environment(SSL_CERT_FILE=str(trusted)))
                self.assertEqual(done.stdout, says, done.stderr[-2000:])

    def test_a_slow_reader_gets_every_byte(self):
        self.start_secure()
        with SecureRest(self.daemon.secure_address, self.context()) as rest:
            for number in range(100):
                answer = rest.ask(
                    "POST", "/publish/{pub}/{sub}/0/big/0", body=str(number) + "y" * 25_000)
                self.assertEqual(answer.status, 200, answer)
            # 12 MB that the socket does not take at once: nobody reads before the last request.
            target = rest.target("/v3/history/sub-key/{sub}/channel/big", {"max": 100})
            for _ in range(5):
                rest.http.send(rest.http.request("GET", target))
            for _ in range(5):
                answer = rest.http.answer()
                messages = answer.json()["channels"]["big"]
                self.assertEqual(len(messages), 100)
                self.assertTrue(messages[-1]["message"].startswith("99yyy"), "the newest")

    def test_what_is_for_the_machine_itself_is_not_shown_to_others(self):
        self.start_secure()
        client = self.connect()
        self.assertEqual(client.get("/readyz").status, 200)
        # Metrics are at the address without TLS, while only this machine reaches that.
        self.assertEqual(client.get("/metrics").status, 404)
        self.assertIsNotNone(self.metric("tls_certificate_expiry_seconds"))
        client = self.connect()
        client.address = ("evil.example", 443)
        self.assertEqual(client.get("/healthz").status, 421)


class Passed(SecureTestCase):
    """A port that systemd opens."""

    def listeners(self, name):
        sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
        for each in sockets:
            self.addCleanup(each.close)
        numbers = [str(each.fileno()) for each in sockets]
        return sockets, [sys.executable, "-c", TRAMPOLINE, *numbers, name]

    def test_the_socket_that_is_named_so_speaks_tls(self):
        sockets, wrapper = self.listeners("tls")
        self.start_secure(
            listen=None, wrapper=wrapper, pass_fds=[each.fileno() for each in sockets])
        addresses = [each.getsockname() for each in sockets]
        self.assertEqual([self.daemon.address, self.daemon.secure_address], addresses)
        self.assertEqual(self.connect().get().status, 200)

    def test_another_one_is_one_too_many_and_without_a_certificate_there_is_no_tls(self):
        for name, says in (("other", "FileDescriptorName=tls"), ("tls", "certificate_file")):
            with self.subTest(name):
                sockets, wrapper = self.listeners(name)
                done = subprocess.run(
                    [*wrapper, binary(), "serve", "--store", "memory"], capture_output=True,
                    text=True, timeout=PATIENCE * WORK_ALONE_MAX, check=False,
                    env=clean_environment(), pass_fds=[each.fileno() for each in sockets])
                self.assertIn(done.returncode, (1, 2))
                self.assertIn(says, done.stderr)


class Certificates(SecureTestCase):
    """New ones, wrong ones, and such as end."""

    async def test_a_reload_reads_credentials_again(self):
        """For systemd that passes them on anew; that of Debian 12 does so at a start only."""
        self.start_secure(credentials=True)
        first = self.connect()
        certificate, key = self.authority.certificate("DNS:localhost")
        self.put(certificate, key)
        self.assertIn('changed="the certificate"', await self.reload(self.daemon, self.text))
        second = self.connect()
        self.assertEqual(second.certificate, ssl.PEM_cert_to_DER_cert(certificate.read_text()))
        self.assertNotEqual(first.certificate, second.certificate)
        self.assertEqual(first.get().status, 200)

    async def test_a_reload_drops_nobody_and_new_connections_see_the_new_one(self):
        self.start_secure()
        with self.over_wss() as there:
            devices = [await self.device(there, f"user{number}") for number in range(500)]
            for device in devices:
                await device.subscribe("room")
            first = self.connect()
            certificate, key = self.authority.certificate("DNS:localhost")
            self.put(certificate, key)
            log = await self.reload(self.daemon, self.text)
            self.assertIn('changed="the certificate"', log)
            second = self.connect()
            self.assertNotEqual(first.certificate, second.certificate)
            self.assertEqual(
                second.certificate, ssl.PEM_cert_to_DER_cert(certificate.read_text()))
            # The old connection goes on with what it has.
            self.assertEqual(first.get().status, 200)

            # A certificate whose key is another's, a file that is none, and one that is gone.
            other, _ = self.authority.certificate("DNS:localhost")
            for spoil in (
                    lambda: self.put(other, key), lambda: self.files.key.write_text("no key"),
                    self.files.certificate.unlink):
                spoil()
                log = await self.reload(self.daemon, self.text, "the old one holds")
                self.assertIn(str(self.files.certificate.parent), log)
                self.assertEqual(self.connect().certificate, second.certificate)

            await devices[0].command("publish", channel="room", payload="all here?")
            await eventually(
                lambda: all(len(device.rows["room"].messages) == 1 for device in devices),
                "500 messages", lambda: sum(device.frames for device in devices))
            self.assertEqual([device for device in devices if device.close_code], [])

    async def test_one_that_ends_soon_or_has_ended_is_spoken_of(self):
        def day(offset):
            moment = datetime.datetime.now(datetime.timezone.utc)
            return (moment + datetime.timedelta(days=offset)).strftime("%Y%m%d%H%M%SZ")
        authority = Authority(self.folder(), "old")
        soon = authority.certificate("DNS:localhost", end=day(3.5))
        self.start_secure(certificate=soon)
        self.assertIn("The certificate expires in 3 days.", self.daemon.log())
        left = self.metric("tls_certificate_expiry_seconds")
        self.assertGreater(left, 3 * 86_400)
        self.assertLess(left, 3.5 * 86_400 + 1)

        self.put(*authority.certificate("DNS:localhost", end=day(-1)))
        log = await self.reload(self.daemon, self.text)
        self.assertIn("The certificate has expired", log)
        self.assertLess(self.metric("tls_certificate_expiry_seconds"), 0)
        def readiness():
            with RawClient(self.daemon.address) as client:
                return client.get("/readyz")
        await eventually(lambda: readiness().status == 503, "a trouble")
        self.assertIn(b"certificate_expired: ", readiness().body)

        self.put(*authority.certificate("DNS:localhost"))
        await self.reload(self.daemon, self.text)
        await eventually(lambda: readiness().status == 200, "no trouble")

    async def test_one_that_clients_will_refuse_is_spoken_of(self):
        authority = Authority(self.folder(), "early")
        early = authority.certificate("DNS:localhost", start="20990101000000Z")
        self.start_secure(certificate=early)
        said = r"live\.pem\": a certificate in it holds only in \d+ hours: until then clients refuse it"
        self.assertRegex(self.daemon.log(), said)
        self.assertRegex(await self.reload(self.daemon, self.text), said)
        self.put(*authority.certificate("DNS:localhost", usage="clientAuth"))
        for arguments, code in (((), 0), (("--public",), 2)):
            found = self.check(self.text, *arguments)
            self.assertEqual(found[0], code, found)
            self.assertIn("its extended key usage has no serverAuth", found[2])
        self.put(*authority.certificate("DNS:localhost", usage="clientAuth,serverAuth"))
        self.assertEqual(self.check(self.text), (0, "The configuration is right.\n", ""))
        self.put(*early)
        for arguments, code in (((), 0), (("--public",), 2)):
            found = self.check(self.text, *arguments)
            self.assertEqual(found[0], code, found)
            self.assertRegex(found[2], said)

    def check(self, text, *arguments):
        self.write(text)
        return run_to_end("config", "check", *arguments, "--config", self.path, "--data-dir", self.folder())

    def test_config_check(self):
        self.start_secure()
        self.assertEqual(self.check(self.text)[0], 0)
        certificate, key = self.files.certificate, self.files.key
        line = "config check names the file"
        other, other_key = self.authority.certificate("DNS:localhost")
        for text, says in (
                (self.text.replace(str(key), "/nowhere/key.pem"), '"/nowhere/key.pem"'),
                (self.text.replace(str(key), str(other_key)), "not that of the first certificate"),
                (self.text.replace(str(certificate), str(key)), "no certificate in it"),
                (self.text.replace(f"key_file = {key}\n", ""), "key_file is missing"),
                (self.text.replace("127.0.0.1:0", "0.0.0.0:0"), "other machines can reach")):
            with self.subTest(says):
                code, _, error = self.check(text)
                self.assertEqual(code, 2, line)
                self.assertIn(says, error)
        key.chmod(0o644)
        code, _, error = self.check(self.text)
        self.assertEqual(code, 0, error)
        if os.geteuid() == 0:
            self.assertIn("others on this machine may read the secret", error)
        old = self.authority.certificate("DNS:localhost", end="20210101000000Z")
        self.put(*old)
        code, _, error = self.check(self.text)
        self.assertEqual(code, 0, error)
        self.assertIn("has expired", error)


if __name__ == "__main__":
    unittest.main()

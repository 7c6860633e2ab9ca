"""syncctl and its library over TLS: a real terminator between it and the real daemon.

Each test makes an authority and certificates of its own with openssl.
"""

import contextlib
import pathlib
import select
import socket
import ssl
import subprocess
import threading
import unittest

from case import DaemonTestCase
from daemon import PATIENCE, binary, clean_environment


class Authority:
    """A certificate authority in a folder."""

    def __init__(self, folder, name):
        self.folder, self.name = pathlib.Path(folder), name
        self.file = self.folder / f"{name}.pem"
        self.openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-subj", f"/CN={name}", "-days", "2", "-keyout", f"{name}.key", "-out", f"{name}.pem")

    def certificate(self, names, start="20200101000000Z", end="20991231235959Z", usage=None):
        """The files of a certificate and its key, for these subjectAltNames."""
        name = f"host-{len(list(self.folder.glob('host-*.pem')))}"
        (self.folder / "extensions").write_text(
            f"subjectAltName={names}\n" + (f"extendedKeyUsage={usage}\n" if usage else ""))
        (self.folder / "index").write_text("")
        (self.folder / "serial").write_text("01\n")
        (self.folder / "ca.cnf").write_text(
            "[ca]\ndefault_ca=it\n[it]\ndatabase=index\nserial=serial\nnew_certs_dir=.\n"
            "default_md=sha256\npolicy=any\nunique_subject=no\n[any]\ncommonName=supplied\n")
        self.openssl(
            "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-subj", "/CN=host", "-keyout", f"{name}.key", "-out", f"{name}.csr")
        self.openssl(
            "ca", "-batch", "-config", "ca.cnf", "-cert", f"{self.name}.pem", "-keyfile",
            f"{self.name}.key", "-in", f"{name}.csr", "-out", f"{name}.pem", "-notext",
            "-startdate", start, "-enddate", end, "-extfile", "extensions")
        return self.folder / f"{name}.pem", self.folder / f"{name}.key"

    def openssl(self, *arguments):
        subprocess.run(
            ["openssl", *arguments], cwd=self.folder, check=True, capture_output=True,
            timeout=PATIENCE)


class Terminator:
    """Speaks TLS on a port of its own, and passes what it reads to the daemon."""

    def __init__(self, certificate, key, target):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate, key)
        self.context.sni_callback = lambda _, name, __: self.names.append(name)
        self.names = []
        self.target = target
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                plain, _ = self.listener.accept()
                threading.Thread(target=self.serve, args=(plain,), daemon=True).start()

    def serve(self, plain):
        with contextlib.suppress(OSError), plain:
            plain.settimeout(PATIENCE)
            with self.context.wrap_socket(plain, server_side=True) as near, \
                    socket.create_connection(self.target) as far:
                self.pass_on(near, far)

    @staticmethod
    def pass_on(near, far):
        while True:
            if not near.pending():
                ready, _, _ = select.select([near, far], [], [], PATIENCE)
                if not ready:
                    return
            else:
                ready = [near]
            for source in ready:
                data = source.recv(65536)
                if not data:
                    return
                (far if source is near else near).sendall(data)

    def close(self):
        # A thread that accepts holds it open otherwise.
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


class TLS(DaemonTestCase):
    """The tool is SyncClient and nothing besides, as far as connections go."""

    def setUp(self):
        self.daemon = self.start_daemon()
        self.authority = Authority(self.daemon.scratch, "authority")

    def terminator(self, names="DNS:localhost,IP:127.0.0.1", authority=None, **dates):
        certificate, key = (authority or self.authority).certificate(names, **dates)
        terminator = Terminator(certificate, key, self.daemon.address)
        self.addCleanup(terminator.close)
        return terminator

    def tool(self, terminator, *arguments, host="localhost", trusts=None):
        environment = clean_environment(USER="ada", SSL_CERT_FILE="/nowhere", SSL_CERT_DIR="/no")
        trusted = [] if trusts is None else ["--ca-file", str(trusts)]
        return subprocess.run(
            [binary("syncctl"), *arguments, "--url", f"wss://{host}:{terminator.port}", *trusted],
            capture_output=True, text=True, timeout=PATIENCE, env=environment, check=False)

    def refused(self, terminator, *words, host="localhost", trusts=None):
        done = self.tool(terminator, "publish", "room", "hi", host=host, trusts=trusts)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for word in (f"{host}:{terminator.port} is not trusted", *words):
            self.assertIn(word, done.stderr)

    def test_the_right_authority(self):
        terminator = self.terminator()
        for host in ("localhost", "127.0.0.1"):
            with self.subTest(host):
                done = self.tool(
                    terminator, "publish", "room", f"hello {host}", host=host,
                    trusts=self.authority.file)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("localhost", terminator.names)
        # More than one TLS record, both ways, and events that are pushed.
        long = "x" * 30000
        for _ in range(20):
            self.assertEqual(
                self.tool(terminator, "publish", "room", long, trusts=self.authority.file)
                .returncode, 0)
        shown = self.tool(
            terminator, "subscribe", "room", "--since", "0", "--count", "22",
            trusts=self.authority.file)
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        lines = shown.stdout.splitlines()
        self.assertEqual(len(lines), 22)
        self.assertTrue(lines[0].endswith("ada: hello localhost"), lines[0])
        self.assertTrue(all(line.endswith(long) for line in lines[2:]))

    def test_the_machines_authorities(self):
        """Without --ca-file those of the machine count, and they are the only ones."""
        terminator = self.terminator()
        done = subprocess.run(
            [binary("syncctl"), "publish", "room", "hi", "--url",
             f"wss://localhost:{terminator.port}"],
            capture_output=True, text=True, timeout=PATIENCE, check=False,
            env=clean_environment(USER="ada", SSL_CERT_FILE=str(self.authority.file)))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.refused(terminator, "no authority that this machine trusts")

    def test_another_authority(self):
        other = Authority(self.daemon.scratch, "other")
        self.refused(
            self.terminator(), "no authority that", str(other.file), "--ca-file",
            trusts=other.file)

    def test_another_host(self):
        for names, host in (("DNS:example.org", "localhost"), ("IP:127.0.0.2", "127.0.0.1")):
            with self.subTest(host):
                self.refused(
                    self.terminator(names), f"for another host than {host}", host=host,
                    trusts=self.authority.file)

    def test_other_times(self):
        self.refused(
            self.terminator(start="20200101000000Z", end="20210101000000Z"), "has expired",
            trusts=self.authority.file)
        self.refused(
            self.terminator(start="20980101000000Z"), "is not valid yet",
            trusts=self.authority.file)

    def test_a_signature_of_its_own(self):
        """A host that vouches for itself is nobody, whatever name it has."""
        own = Terminator(
            self.authority.file, self.authority.folder / "authority.key", self.daemon.address)
        self.addCleanup(own.close)
        self.refused(own, "no authority that this machine trusts")

    def test_it_says_when_there_is_no_tls(self):
        plain = type("Plain", (), {"port": self.daemon.port})
        done = self.tool(plain, "publish", "room", "hi", trusts=self.authority.file)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("does not speak TLS", done.stderr)
        self.assertIn("the URL begins with ws://", done.stderr)

    def test_it_says_when_there_is_tls(self):
        terminator = self.terminator()
        done = subprocess.run(
            [binary("syncctl"), "publish", "room", "hi", "--url",
             f"ws://localhost:{terminator.port}"],
            capture_output=True, text=True, timeout=PATIENCE, check=False,
            env=clean_environment(USER="ada"))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("the URL begins with wss://", done.stderr)


if __name__ == "__main__":
    unittest.main()

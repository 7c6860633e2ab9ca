"""What an attack is, and what is known of it when it is over."""

import os

from daemon import Daemon, run_to_end
from hostile.crowd import plain_socket, session_socket
from raw import RawClient
from rest import Rest

#: Then the process has much that is not the daemon's.
SANITIZED = bool({"ASAN_OPTIONS", "TSAN_OPTIONS"} & os.environ.keys())
#: Two tenants; attacks that are about tenants come from the second.
TENANTS = """
[keyset honest]
subscribe_key = honest
[keyset mallory]
subscribe_key = mallory
"""


class Attack:
    """One finding. `strike` is run by an attacker of its own, `cases` after it.

    Says with its docstring what it was; the figures in it are of release 0.1.0, before its mend.
    """

    #: The finding's name, such as S1.
    name = ""
    title = ""
    #: Whether it comes from another tenant than the honest client's.
    stranger = False
    #: Whether the daemon starts anew after `prepare`, so that it remembers nothing.
    restarts = False
    #: Flags of the daemon.
    arguments = ()
    #: How often the given time it needs.
    times = 1
    #: Configuration files, the best first: one that the daemon does not know is passed over.
    configurations = ("[limits]\nmemory_max = 512M\n" + TENANTS, TENANTS)

    def prepare(self, target):
        """What is there before the attack."""

    #: def strike(self, target, stop): attacks until `stop` is set; returns counts by what they are.
    strike = None

    def cases(self, target):
        """Pairs of a text and whether that was refused, or did no harm."""
        return []


class Target:
    """A daemon under attack, and the tenant that the attacker belongs to."""

    def __init__(self, attack, environment):
        self.attack = attack
        self.daemon = Daemon(*attack.arguments, environment=environment)
        self.memory_max = None
        for text in attack.configurations:
            if self._takes(text):
                break
        else:
            raise AssertionError(f"No configuration of {attack.name} is known to this daemon.")
        self.daemon.start()

    def _takes(self, text):
        path = os.path.join(self.daemon.scratch, "sync.ini")
        if SANITIZED:
            text = text.replace("memory_max = 512M", "memory_max = 16G")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        code, _, said = run_to_end(
            "config", "check", "--config", path, "--data-dir", self.daemon.data_dir,
            "--listen", "127.0.0.1:0")
        if code != 0:
            self.refusal = said
            return False
        self.daemon.arguments = [*self.attack.arguments, "--config", path]
        self.memory_max = 512 * 1024 * 1024 if "memory_max" in text else None
        self.has_tenants = "keyset honest" in text
        return True

    @property
    def address(self):
        return self.daemon.address

    @property
    def honest(self):
        """The honest client's tenant; None is the daemon's only one."""
        return "honest" if self.has_tenants else None

    @property
    def tenant(self):
        """The attacker's."""
        if not self.has_tenants:
            return None
        return "mallory" if self.attack.stranger else "honest"

    @property
    def sub(self):
        """The attacker's subscribe key, as it stands in a URL."""
        return self.tenant or "default"

    def get(self, target):
        """The bytes of a request."""
        return f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()

    def post(self, target, body):
        """The bytes of a request with a JSON body."""
        return (f"POST {target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\n\r\n").encode() + body

    def socket(self, receive_buffer=None):
        return plain_socket(self.address, receive_buffer)

    def session(self, user, receive_buffer=None):
        """The socket of a session of the attacker's."""
        return session_socket(self.address, user, self.tenant, receive_buffer)

    def client(self, user):
        """A session of the attacker's that reads replies."""
        client = RawClient(self.address)
        client.upgrade()
        tenant = {"keyset": self.tenant} if self.tenant else {}
        client.command("hello", userId=user, deviceId=f"{user}-phone", **tenant)
        return client

    def rest(self, user="mallory", tenant=None):
        return Rest(self.daemon, user, ("pub", tenant or self.sub))

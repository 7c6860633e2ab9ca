"""S10: what others on the machine may read, and where links lead."""

import os

from daemon import Daemon, run_to_end
from hostile.attack import TENANTS, Attack


class Files(Attack):
    """Data of mode 0644 in a directory of 0755; links followed; no word of a readable secret."""

    name, title = "S10", "files that others read, links, presence that is off"
    configurations = (TENANTS + "presence = no\n",)

    def cases(self, target):
        return [*self.files(), ("a link in the place of the data is followed", self.link()),
                ("a secret that all may read is not mentioned", self.secret()),
                ("presence that is off still tells who comes", self.presence(target))]

    @staticmethod
    def files():
        with Daemon() as daemon:
            os.makedirs(daemon.data_dir, 0o755)
            os.chmod(daemon.data_dir, 0o755)
            daemon.start()
            yield from [(f"others may read {it.name}", it.stat().st_mode & 0o077 == 0)
                        for it in os.scandir(daemon.data_dir)]

    @staticmethod
    def link():
        daemon = Daemon()
        try:
            os.makedirs(daemon.data_dir, 0o700)
            elsewhere = os.path.join(daemon.scratch, "elsewhere.db")
            os.symlink(elsewhere, os.path.join(daemon.data_dir, "syncdaemon.db"))
            daemon.spawn()
            # It ends, or says that it listens: then it has opened its data.
            os.read(daemon.process.stdout.fileno(), 99)
            return not os.path.exists(elsewhere)
        finally:
            daemon.discard()

    @staticmethod
    def secret():
        with Daemon() as daemon:
            path = os.path.join(daemon.scratch, "sync.ini")
            with open(path, "w", encoding="utf-8") as file:
                file.write(TENANTS + "secret_key = 0123456789abcdef0123456789abcdef\n")
            os.chmod(path, 0o644)
            _, out, said = run_to_end("config", "check", "--config", path, "--data-dir",
                                      daemon.data_dir, "--listen", "127.0.0.1:0")
            return "secret_key" in out + said

    @staticmethod
    def presence(target):
        with target.rest("ada", "mallory") as rest, target.rest("bob", "mallory") as other:
            cursor = rest.ok("/v2/subscribe/{sub}/room-pnpres,end/0", {"tt": 0})["t"]["t"]
            other.get("/v2/presence/sub-key/{sub}/channel/room/heartbeat", {"heartbeat": 300})
            other.publish("end", 1)
            heard = rest.ok("/v2/subscribe/{sub}/room-pnpres,end/0", {"tt": cursor})["m"]
        return not any("action" in it["d"] for it in heard if isinstance(it["d"], dict))

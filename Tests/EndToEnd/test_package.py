"""The Debian package in a machine with a real systemd: installed, upgraded under load, taken away.

PACKAGE_CLIENTS says how many devices are connected while it is upgraded.
"""

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from daemon import ROOT, binary
from lanes import check_lanes, start_lanes
from manual import blocks
from service import CONFIGURATION, UNIT, Knocker, ServiceCase

CLIENTS = int(os.environ.get("PACKAGE_CLIENTS", "40"))
VERSIONS = ["1.0", "1.1"]
PAGES = ["syncdaemon.8", "syncctl.1", "syncdaemon.conf.5", "syncdaemon-cluster.7"]


def make_packages(directory):
    """Packages of the programs under test, as `make deb` makes one: a path for each version."""
    tree = os.path.join(directory, "tree")
    for name in ("debian", "systemd", "docs", "clients", "contrib", "examples", "Tools",
                 "Tests/Fixtures"):
        shutil.copytree(ROOT / name, os.path.join(tree, name), symlinks=True,
                        ignore=shutil.ignore_patterns(".build"))
    for name in ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "README.md", "SECURITY.md"):
        shutil.copy(ROOT / name, tree)
    release = os.path.join(tree, ".build/release")
    os.makedirs(release)
    for name in ("syncdaemon", "syncctl"):
        shutil.copy(binary(name), release)
    changelog = os.path.join(tree, "debian/changelog")
    with open(changelog, encoding="utf-8") as file:
        said = file.read()
    found = []
    for version in VERSIONS:
        with open(changelog, "w", encoding="utf-8") as file:
            file.write(re.sub(r"\(.*?\)", f"({version})", said, count=1))
        done = subprocess.run(
            ["debian/rules", "clean", "binary", "SWIFT=true", "KIND=--debug",
             "SHLIBDEPS=--ignore-missing-info", "COMPRESSION=-Zgzip -z1", f"DEB_DIRECTORY={directory}"],
            cwd=tree, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(f"debian/rules ended with {done.returncode}: {done.stderr}")
        name, = [it for it in os.listdir(directory) if it.startswith(f"syncdaemon_{version}_")]
        found.append(os.path.join(directory, name))
    return found


class Heartbeat:
    """A device that writes as soon as its last write is acknowledged, and how long one waited."""

    def __init__(self, device):
        self.device = device
        self.longest = 0.0
        self._enough = False

    async def run(self):
        while not self._enough:
            begin = time.monotonic()
            await self.device.settle("publish", channel="beats", payload="beat")
            self.longest = max(self.longest, time.monotonic() - begin)

    def stop(self):
        self._enough = True


class Package(ServiceCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        directory = tempfile.mkdtemp(prefix="syncdaemon-package-")
        cls.addClassCleanup(shutil.rmtree, directory, ignore_errors=True)
        cls.old, cls.new = make_packages(directory)

    def setUp(self):
        super().setUp()
        self.inside("/usr/sbin/policy-rc.d").unlink(missing_ok=True)
        for path in (self.old, self.new):
            shutil.copy(path, self.inside("/srv"))

    def apt(self, *arguments, check=True):
        return self.machine.run(
            "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "--yes", *arguments, check=check)

    def install_package(self, path, *, check=True):
        return self.apt("install", "/srv/" + os.path.basename(path), check=check)

    def test_nothing_is_wrong_with_it(self):
        done = subprocess.run(
            # Only a release has no path to Swift's libraries.
            ["lintian", "--allow-root", "--fail-on", "error,warning", "--suppress-tags",
             "custom-library-search-path", self.new], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_every_link_of_its_documents_leads_somewhere(self):
        with tempfile.TemporaryDirectory(prefix="syncdaemon-links-") as directory:
            subprocess.run(["dpkg-deb", "--extract", self.new, directory], check=True)
            share = os.path.join(directory, "usr/share")
            # "README.md says how to open this page", and an example that looks for the client.
            for path in ("syncdaemon/web/README.md", "syncdaemon/web/LICENSE",
                         "doc/syncdaemon/docs/pictures/two-devices.webp",
                         "doc/syncdaemon/examples/node-bot/bot.mjs",
                         "doc/syncdaemon/clients/web/syncclient.js",
                         "doc/syncdaemon/clients/web/ui/sync-ui.js"):
                self.assertTrue(os.path.exists(os.path.join(share, path)), path)

            def check():
                return subprocess.run(
                    [ROOT / "Tools/check-links", directory], capture_output=True, text=True,
                    check=False)

            done = check()
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            os.remove(os.path.join(share, "doc/syncdaemon/docs/SEMANTICS.md"))
            done = check()
            self.assertEqual(done.returncode, 1)
            self.assertIn("README.md: docs/SEMANTICS.md is not there\n", done.stderr)

    def test_its_unit_says_of_an_upgrade_what_the_manual_says(self):
        unit = (ROOT / "systemd/syncdaemon.service").read_text(encoding="utf-8")
        said, = re.findall(r"some \d+ s per million[ a-z]+", unit.replace("\n# ", " "))
        self.assertIn(said, (ROOT / "docs/OPERATIONS.md").read_text(encoding="utf-8"))

    def test_its_version_is_the_release(self):
        said = subprocess.run(
            [binary("syncdaemon"), "--version"], capture_output=True, text=True, check=True).stdout
        changelog = (ROOT / "debian/changelog").read_text(encoding="utf-8")
        version, = re.findall(r"\A\S+ \((.*?)\)", changelog)
        self.assertEqual(said.split()[1], version.replace("~", "-"))

    def test_what_it_is_made_of(self):
        done = subprocess.run(
            [ROOT / "Tools/sbom", self.new], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = json.loads(done.stdout)
        packages = {it["SPDXID"]: it for it in said["packages"]}
        self.assertEqual(packages["SPDXRef-syncdaemon"]["versionInfo"], "1.1")
        for library in ("libwebsockets17", "libwebsockets-evlib-uv", "libsqlite3-0", "libssl3"):
            self.assertRegex(packages[f"SPDXRef-{library}"]["versionInfo"], r"\d")
        named = {it["relatedSpdxElement"] for it in said["relationships"]}
        self.assertEqual(named, set(packages))

    async def test_what_a_container_runs(self):
        """What Containerfile and compose.yaml say, without their images, which are elsewhere."""
        recipe = (ROOT / "contrib/container/Containerfile").read_text(encoding="utf-8")
        recipe = recipe.replace("\\\n", " ")
        entry, given = (json.loads(re.search(rf"^{word} (\[.*\])$", recipe, re.M)[1])
                        for word in ("ENTRYPOINT", "CMD"))
        compose = (ROOT / "contrib/container/compose.yaml").read_text(encoding="utf-8")
        composed = re.search(r"^    command:\n((?:      - .*\n)+)", compose, re.M)[1]
        self.install_package(self.old)
        self.machine.run("systemctl", "stop", "syncdaemon.socket", UNIT)
        self.machine.run("install", "-d", "-o", "syncdaemon", "-g", "syncdaemon", "-m", "700", "/data")
        as_user = ["setpriv", "--reuid=syncdaemon", "--regid=syncdaemon", "--clear-groups"]
        # Without keysets it does not listen for other machines.
        refused = self.machine.run(*as_user, *entry, *given, check=False)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("access_control", refused.stderr)
        self.machine.run(
            "systemd-run", "--unit=contained", *as_user, *entry,
            *re.findall(r"- (.*)", composed))
        ready = ["curl", "--fail", "--silent", "http://127.0.0.1:8080/readyz"]
        await self.until(
            lambda: self.machine.run(*ready, check=False).returncode == 0, "it to be ready")
        ada = await self.device(self.daemon, "ada")
        await ada.publish("room", "hi")
        await ada.close()
        self.machine.run("systemctl", "stop", "contained")

    async def test_two_commands_and_it_serves(self):
        lines, = blocks("Install")
        self.machine.shell("cd /srv; rm *_1.1_*.deb\n" + lines.replace("apt ", "apt-get --yes "))
        said = self.machine.shell(
            "export SYNCCTL_URL=ws://127.0.0.1:8080\n"
            "syncctl publish room hello --user ada\n"
            "syncctl react add room last 👍 --user bob\n"
            "syncctl history room --actions\n").stdout
        self.assertIn("hello", said)
        self.assertIn("👍", said)
        self.assertEqual(self.machine.run("systemctl", "is-enabled", UNIT).stdout, "enabled\n")
        for page in PAGES:
            name, _, section = page.rpartition(".")
            shown = self.machine.run("man", "--pager=cat", section, name).stdout
            self.assertIn("SEE ALSO" if section != "7" else "PostgreSQL", shown, page)
            path = f"/usr/share/man/man{section}/{page}.gz"
            lint = self.machine.shell(f"zcat {path} | mandoc -T lint -W warning", check=False)
            self.assertEqual(lint.stdout, "", page)
        completed = self.machine.shell(
            "source /usr/share/bash-completion/completions/syncctl\n"
            "COMP_WORDS=(syncctl subscribe --la); COMP_CWORD=2; _syncctl; echo ${COMPREPLY[*]}\n"
            "COMP_WORDS=(syncctl admin bac); COMP_CWORD=2; _syncctl; echo ${COMPREPLY[*]}\n"
            "COMP_WORDS=(syncctl pu); COMP_CWORD=1; _syncctl; echo ${COMPREPLY[*]}\n"
            "COMP_WORDS=(syncctl --user ada pu); COMP_CWORD=3; _syncctl; echo ${COMPREPLY[*]}\n"
            "COMP_WORDS=(syncctl --us); COMP_CWORD=1; _syncctl; echo ${COMPREPLY[*]}\n"
            "source /usr/share/bash-completion/completions/syncdaemon\n"
            "COMP_WORDS=(syncdaemon config ch); COMP_CWORD=2; _syncdaemon; echo ${COMPREPLY[*]}\n")
        self.assertEqual(completed.stdout, "--last\nbackup\npublish\npublish\n--user\ncheck\n")
        self.assertIn("SIGHUP", self.machine.run("man", "--pager=cat", "8", "syncdaemon").stdout)
        self.machine.run("systemctl", "reload", UNIT)
        self.assertEqual(
            self.machine.run("dpkg", "--verify", "syncdaemon").stdout, "", "Files are as they came.")

    async def test_an_upgrade_under_load_refuses_and_loses_nothing(self):
        self.install_package(self.old)
        watcher = await self.device(self.daemon, "watcher")
        await watcher.subscribe({"name": "room", "cursor": "0"})
        watcher.keep_connected()
        lanes = await start_lanes(self, self.daemon, self.random(), writers=2)
        crowd = []
        for number in range(CLIENTS):
            device = await self.device(self.daemon, f"device-{number}")
            await device.subscribe({"name": "beats", "cursor": "0"})
            device.keep_connected()
            crowd.append(device)
        heart = await self.device(self.daemon, "heart")
        heart.keep_connected()
        heartbeat, knocker, enough = Heartbeat(heart), Knocker(), asyncio.Event()
        running = [asyncio.create_task(lane.run(enough)) for lane in lanes]
        running += [asyncio.create_task(it.run()) for it in (heartbeat, knocker)]
        before = self.machine.state(UNIT, "MainPID")

        def acknowledged():
            return sum(lane.acknowledged for lane in lanes)

        await self.until(lambda: acknowledged() > 100, "writes")
        await asyncio.to_thread(self.install_package, self.new)
        goal = acknowledged() + 100
        await self.until(lambda: acknowledged() >= goal, "writes after the upgrade")
        for it in (heartbeat, knocker):
            it.stop()
        enough.set()
        await asyncio.gather(*running)
        print(f"{CLIENTS} devices, {acknowledged()} acknowledged writes, {knocker.tried} connections"
              f" tried, {knocker.refused} refused, longest write {heartbeat.longest:.2f} s",
              file=sys.stderr)
        self.assertNotEqual(self.machine.state(UNIT, "MainPID"), before)
        self.assertIn("1.1", self.machine.run("dpkg-query", "-W", "syncdaemon").stdout)
        self.assertEqual(knocker.refused, 0)
        self.assertEqual([it for lane in lanes for it in lane.surprises], [])
        await check_lanes(self, lanes, watcher)
        last = (await heart.settle("publish", channel="beats", payload="last"))["timetoken"]
        for device in crowd:
            await device.reach("beats", last)

    async def test_a_wrong_configuration_does_not_end_a_daemon_that_serves(self):
        self.install_package(self.old)
        before = self.machine.state(UNIT, "MainPID")
        configuration = self.inside(CONFIGURATION)
        right = configuration.read_text(encoding="utf-8")
        configuration.write_text(right + "[server]\nlisen = 1\n", encoding="utf-8")
        done = self.install_package(self.new)
        self.assertIn("was not restarted", done.stdout + done.stderr)
        self.assertIn("lisen", done.stdout + done.stderr)
        self.assertEqual(self.machine.state(UNIT, "MainPID"), before)
        await (await self.device(self.daemon, "ada")).command("ping")
        configuration.write_text(right, encoding="utf-8")
        self.machine.run("systemctl", "restart", UNIT)
        self.assertNotEqual(self.machine.state(UNIT, "MainPID"), before)

    def test_units_of_an_installation_by_hand_are_told_of(self):
        unit = self.inside("/etc/systemd/system/syncdaemon.service")
        shutil.copy(ROOT / "systemd/syncdaemon.service", unit)
        done = self.install_package(self.old)
        self.assertIn("is in the place of the package's unit", done.stdout + done.stderr)

    async def test_an_older_one_is_refused_with_what_to_do(self):
        self.install_package(self.new)
        before = self.machine.state(UNIT, "MainPID")
        done = self.apt(
            "install", "--allow-downgrades", "/srv/" + os.path.basename(self.old), check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("1.1 is installed, and 1.0 is older", done.stdout + done.stderr)
        self.assertIn("OPERATIONS.md", done.stdout + done.stderr)
        self.assertEqual(self.machine.state(UNIT, "MainPID"), before, "It went on.")
        await (await self.device(self.daemon, "ada")).command("ping")

    async def test_to_remove_keeps_the_data_and_to_purge_does_not(self):
        self.install_package(self.old)
        ada = await self.device(self.daemon, "ada")
        await ada.publish("room", "kept")
        await ada.close()
        configuration = self.inside(CONFIGURATION)
        configuration.write_text("# mine\n" + configuration.read_text(), encoding="utf-8")
        self.apt("remove", "syncdaemon")
        self.assertEqual(self.machine.state(UNIT, "ActiveState"), "inactive")
        self.assertEqual(self.machine.state("syncdaemon.socket", "ActiveState"), "inactive")
        self.install_package(self.new)
        self.assertTrue(configuration.read_text(encoding="utf-8").startswith("# mine"))
        bob = await self.device(self.daemon, "bob")
        self.assertEqual([it["payload"] for it in await bob.all_messages("room")], ["kept"])
        await bob.close()
        self.apt("purge", "syncdaemon")
        for path in ("/var/lib/private/syncdaemon", "/var/lib/syncdaemon", "/etc/syncdaemon"):
            self.assertFalse(os.path.lexists(self.inside(path)), path)

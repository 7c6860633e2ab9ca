"""Tools/release: a release's number is everywhere, and what is packed is whole."""

import hashlib
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest

from daemon import ROOT

NAMED = ["Tools/release", "CHANGELOG.md", "Sources/EventModel/Release.swift",
         "clients/web/package.json", "debian/changelog"]


class Release(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name) / "tree"
        for name in NAMED:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)
        self.git("init", "--quiet")
        self.commit()

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@t", *arguments],
                       cwd=self.root, check=True, capture_output=True)

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "tree")

    def tool(self, *arguments, code=0):
        done = subprocess.run([self.root / "Tools/release", *map(str, arguments)],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout + done.stderr

    def text(self, name):
        return (self.root / name).read_text(encoding="utf-8")

    def package(self, version):
        """A package of that number, with what it is made of."""
        tree = self.root.parent / "package"
        (tree / "DEBIAN").mkdir(parents=True, exist_ok=True)
        (tree / "DEBIAN/control").write_text(
            f"Package: syncdaemon\nVersion: {version}\nArchitecture: all\nMaintainer: t <t@t>\n"
            "Description: test\n")
        deb = self.root.parent / f"syncdaemon_{version}_all.deb"
        subprocess.run(["dpkg-deb", "--build", "--root-owner-group", tree, deb], check=True,
                       capture_output=True)
        deb.with_suffix(".spdx.json").write_text("{}")
        return deb

    def test_a_release_gets_its_number_everywhere_and_the_next_one_after_it(self):
        versions = subprocess.run(["dpkg-parsechangelog", "--show-field", "Version", "--all"],
                                  cwd=self.root, capture_output=True, text=True, check=True)
        before = versions.stdout.split()
        self.tool("number", "7.8.9", "2027-03-04")
        self.assertIn('version = "7.8.9"', self.text("Sources/EventModel/Release.swift"))
        self.assertIn('"version": "7.8.9"', self.text("clients/web/package.json"))
        self.assertRegex(self.text("CHANGELOG.md"),
                         r"## \[Unreleased\]\n\n## \[7\.8\.9\] - 2027-03-04\n\n### ")
        self.assertRegex(self.text("debian/changelog"),
                         r"\Asyncdaemon \(7\.8\.9\) .*\n\n  \* .*\n\n -- .*>  Thu, 04 Mar 2027 ")
        self.assertIn("already", self.tool("number", "7.8.9", code=1))
        self.assertIn("what is new?", self.tool("number", "7.9.0", code=1))
        self.tool("number", "7.9.0-dev", "2027-03-05")
        self.assertIn('version = "7.9.0-dev"', self.text("Sources/EventModel/Release.swift"))
        self.assertEqual(re.findall(r"^syncdaemon \((.*?)\)", self.text("debian/changelog"),
                                    re.MULTILINE)[:2], ["7.9.0~dev", "7.8.9"])
        # One in between gives its place to what it leads to.
        self.assertTrue(before[0].endswith("~dev"), before)
        self.assertNotIn(before[0], self.text("debian/changelog"))

    def test_what_is_no_number_is_refused(self):
        for wanted in ("1", "1.2", "v1.2.3", "1.2.3-rc1", "01.2.3", ""):
            self.assertIn("no number", self.tool("number", wanted, code=1))
        self.assertIn("Usage", self.tool("release", code=1))

    def test_what_is_packed_is_the_commit_the_package_and_sums_of_both(self):
        target = self.root.parent / "dist"
        self.assertIn("is no release", self.tool("pack", target, self.package("7.8.9"), code=1))
        self.tool("number", "7.8.9", "2027-03-04")
        self.assertIn("changes", self.tool("pack", target, self.package("7.8.9"), code=1))
        self.commit()
        self.assertIn("make deb", self.tool("pack", target, self.package("7.8.8"), code=1))
        self.tool("pack", target, self.package("7.8.9"))
        with tarfile.open(target / "syncdaemon-7.8.9.tar.gz") as sources:
            self.assertIn("syncdaemon-7.8.9/CHANGELOG.md", sources.getnames())
        news = (target / "NEWS.md").read_text(encoding="utf-8")
        self.assertTrue(news.startswith("# SyncDaemon 7.8.9\n\n### "), news[:80])
        self.assertNotIn("0.1.0]", news)
        listed = dict(reversed(line.split()) for line in
                      (target / "SHA256SUMS").read_text().splitlines())
        self.assertEqual(sorted(listed), sorted(
            path.name for path in target.iterdir() if path.name != "SHA256SUMS"))
        self.assertEqual(len(listed), 4)
        for name, expected in listed.items():
            self.assertEqual(hashlib.sha256((target / name).read_bytes()).hexdigest(), expected)


if __name__ == "__main__":
    unittest.main()

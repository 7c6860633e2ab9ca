"""`syncctl token`: what docs/ACCESS.md shows of it, typed as it stands there, and what it refuses."""

import json
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

from daemon import ROOT, binary, clean_environment
from sdk import PubNubTestCase
from test_access import KEYS, web_token

SECRET = "sec-of-the-tenant"
CONFIGURATION = f"""
    [keyset app]
    subscribe_key = sub-app
    secret_key = {SECRET}
    access_control = yes
    """
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: What is another one in each run.
CHANGING = [(re.compile(r"\bqEF2[\w=-]+"), "TOKEN"), (re.compile(r"\b[\d-]{10}T[\d:]{8}Z"), "DATE"),
            (re.compile(r"\bin \d+ s\b"), "in N s"), (re.compile(r"\b\d{17}\b"), "TIMETOKEN")]


def steps(page):
    """(command, expected lines) of the page's blocks that are typed."""
    found = []
    for text in BLOCK.findall(page):
        for line in text.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif found:
                found[-1][1].append(line)
    return found


def same_in_every_run(lines):
    text = "\n".join(line.rstrip() for line in lines if line.strip())
    for pattern, word in CHANGING:
        text = pattern.sub(word, text)
    return text


class Tool(PubNubTestCase):
    def setUp(self):
        self.daemon = self.start_daemon(configuration=CONFIGURATION)

    def environment(self, **variables):
        path = pathlib.Path(binary("syncctl")).parent
        return {**clean_environment(), "PATH": f"{path}:{os.environ['PATH']}", "USER": "somebody",
                "SYNCCTL_URL": self.daemon.url, "SYNCCTL_SECRET": SECRET, **variables}

    def syncctl(self, *arguments, stdin="", **variables):
        return subprocess.run(
            [binary("syncctl"), "token", *arguments], capture_output=True, text=True, check=False,
            input=stdin, env=self.environment(**variables))

    def ok(self, *arguments, **options):
        done = self.syncctl(*arguments, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def test_what_the_page_shows(self):
        page = (ROOT / "docs/ACCESS.md").read_text(encoding="utf-8")
        shown = steps(page)
        words = {tuple(shlex.split(command)[:3]) for command, _ in shown}
        self.assertGreater(len(shown), 3)
        for verb in ("grant", "revoke", "inspect"):
            self.assertTrue(any(verb in command for command, _ in shown), (verb, words))
        with tempfile.TemporaryDirectory() as directory:
            for command, expected in shown:
                done = subprocess.run(
                    ["bash", "-ec", command], capture_output=True, text=True, check=False,
                    cwd=directory, env=self.environment(), stdin=subprocess.DEVNULL)
                output = done.stdout if done.returncode == 0 else done.stdout + done.stderr
                self.assertEqual(
                    same_in_every_run(output.splitlines()), same_in_every_run(expected),
                    f"$ {command}")

    def test_a_token_of_its_making_is_good_until_it_is_taken_back(self):
        token = self.ok(
            "grant", "60", "channel:a=b=read,write", "channel~^news-=read", "group:friends=manage",
            "user:ada=get,update", "--bearer", "ada", "--keyset", "sub-app")
        told = json.loads(self.ok("inspect", token, "--keyset", "sub-app", "--json"))
        self.assertEqual(
            (told["kind"], told["user"], told["signature"], told["isOver"]),
            ("pubnub", "ada", "good", False))
        self.assertEqual(told["expires"] - told["issued"], 3600)
        self.assertEqual(told["rights"], [
            {"on": "channel", "name": "a=b", "rights": ["read", "write"]},
            {"on": "group", "name": "friends", "rights": ["manage"]},
            {"on": "user", "name": "ada", "rights": ["get", "update"]},
            {"on": "channel", "pattern": "^news-", "rights": ["read"]}])
        rest = self.rest(self.daemon, "ada", KEYS)
        path = "/publish/{pub}/{sub}/0/a%3Db/0/1"
        self.assertEqual(rest.get(path, {"auth": token}).status, 200)

        self.assertEqual(
            self.ok("revoke", "-", "--keyset", "sub-app", "--json", stdin=token + "\n"),
            '{"revoked":true}')

        self.assertEqual(rest.get(path, {"auth": token}).json()["message"], "Token is revoked")

    def test_inspect_asks_nobody_and_believes_nothing(self):
        token = self.ok("grant", "5", "channel:room=read", "--keyset", "sub-app")
        alone = {"SYNCCTL_URL": "ws://127.0.0.1:1"}
        for secret, keyset, signature in (
                ("", "sub-app", "unchecked"), (SECRET, "sub-app", "good"),
                ("another", "sub-app", "bad"), (SECRET, "sub-other", "bad")):
            told = json.loads(self.ok(
                "inspect", token, "--keyset", keyset, "--json", SYNCCTL_SECRET=secret, **alone))
            self.assertEqual(told["signature"], signature)
        # In the middle of the signature: the last digit may have bits that mean nothing.
        changed = token[:-12] + ("A" if token[-12] != "A" else "B") + token[-11:]
        told = json.loads(self.ok("inspect", changed, "--keyset", "sub-app", "--json", **alone))
        self.assertEqual(told["signature"], "bad")
        web = self.ok("inspect", web_token(-60), **alone)
        for words in ("JSON Web Token", "(it is over)", "https://id.example", "not checked",
                      "room  read write react history"):
            self.assertIn(words, web)

    def test_what_is_wrong_is_said(self):
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory) / "secret"
            path.write_text("another\n", encoding="utf-8")
            grant = ("grant", "5", "channel:room=read", "--keyset", "sub-app")
            for arguments, variables, code, words in (
                    (grant, {"SYNCCTL_SECRET": ""}, 1, "SYNCCTL_SECRET"),
                    (grant[:3], {}, 1, "--keyset"),
                    ((*grant, "--secret-file", str(path)), {}, 1, "Is it the secret_key"),
                    ((*grant, "--secret-file", "/nowhere"), {}, 1, "cannot be read"),
                    ((*grant[:3], "--keyset", "sub-nobodys"), {}, 1, "no keyset with the "
                     "subscribe key sub-nobodys. Check --keyset"),
                    (("revoke", "token", "--keyset", "sub-nobodys", "--json"), {}, 1,
                     '"unknown_keyset"'),
                    ((*grant, "--url", "wss://localhost"), {}, 1, "beside the daemon"),
                    ((*grant, "--url", "ws://127.0.0.1:1"), {}, 1, "Cannot connect"),
                    (("grant", "0", "channel:room=read"), {}, 2, "43200"),
                    (("grant", "5"), {}, 2, "what it allows"),
                    (("grant", "5", "channel:room=fly"), {}, 2, "no right"),
                    (("grant", "5", "room=read"), {}, 2, "no grant"),
                    (("grant", "5", "channel~(a=read", "--keyset", "sub-app"), {}, 1,
                     "Invalid permissions"),
                    (("revoke", "token", "--keyset", "sub-app"), {}, 1, "This is no token"),
                    (("inspect", "token"), {}, 1, "no token"), (("look",), {}, 2, "It goes")):
                with self.subTest(arguments):
                    done = self.syncctl(*arguments, **variables)
                    self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
                    self.assertIn(words, done.stderr)
                    self.assertNotIn(SECRET, done.stderr)


if __name__ == "__main__":
    unittest.main()

"""clients/web for TypeScript: its declarations are accepted by tsc --strict, and are true."""

import json
import re
import subprocess
import unittest

from daemon import ROOT

WEB = ROOT / "clients" / "web"


class Types(unittest.TestCase):
    def test_a_page_in_typescript(self):
        """It uses everything; what it marks with @ts-expect-error has to be an error."""
        for resolution in ("node", "node16"):
            with self.subTest(resolution):
                module = "es2022" if resolution == "node" else "node16"
                done = subprocess.run(
                    ["tsc", "--strict", "--noEmit", "--target", "es2022", "--lib", "es2022,dom",
                     "--module", module, "--moduleResolution", resolution,
                     "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess",
                     str(WEB / "tests" / "types.ts"), str(WEB / "tests" / "ui-types.ts")],
                    capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_the_modules(self):
        """The client itself is JavaScript; its comments say the types, and tsc holds them to it."""
        modules = sorted(str(it) for folder in ("core", "shell", "ui", "../console")
                         for it in (WEB / folder).rglob("*.js") if it.parent.name != "lib")
        done = subprocess.run(
            ["tsc", "--strict", "--noEmit", "--allowJs", "--checkJs", "--target", "es2022",
             "--lib", "es2022,dom,dom.iterable", "--module", "es2022", "--moduleResolution", "node",
             str(WEB / "syncclient.js"), *modules],
            capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertIn(str(WEB / "shell" / "client.js"), modules)
        self.assertIn(str(WEB / "ui" / "parts" / "viewport.js"), modules)

    def test_what_is_declared_is_there(self):
        """Each class and function, and each member of them."""
        text = (WEB / "syncclient.d.ts").read_text(encoding="utf-8")
        declared = {}
        for kind, name, body in re.findall(
                r"^export (class|interface) (\w+)(.*?)^\}", text, re.MULTILINE | re.DOTALL):
            declared[name] = kind, re.findall(r"^  (?:readonly )?(\w+)[?<(:]", body, re.MULTILINE)
        for name in re.findall(r"^export function (\w+)", text, re.MULTILINE):
            declared[name] = "function", []
        script = f"""
            import * as sync from {json.dumps(str(WEB / "syncclient.js"))};
            if (!globalThis.crypto) globalThis.crypto = (await import('node:crypto')).webcrypto;
            const options = {{ url: 'ws://x/v1/sync', userId: 'ada', WebSocket: class {{}} }};
            const client = new sync.SyncClient(options);
            const made = {{
              SyncClient: client, Channel: client.channel('room'),
              OutboxFullError: new sync.OutboxFullError(1),
              UnreadableError: new sync.UnreadableError('x', null, null),
            }};
            const missing = [];
            for (const [name, [kind, members]] of Object.entries({json.dumps(declared)})) {{
              if (kind !== 'interface' && typeof sync[name] !== 'function') missing.push(name);
              for (const it of made[name] ? members : []) {{
                if (!(it in made[name])) missing.push(`${{name}}.${{it}}`);
              }}
            }}
            console.log(JSON.stringify(missing));
            process.exit();"""
        done = subprocess.run(
            ["node", "--input-type=module", "--eval", script], capture_output=True, text=True,
            check=False)
        self.assertEqual(done.stdout.strip(), "[]", done.stderr)
        self.assertIn("leave", declared["Channel"][1])
        self.assertIn("waiting", declared["SyncClient"][1])

    def test_the_package(self):
        package = json.loads((WEB / "package.json").read_text(encoding="utf-8"))
        self.assertNotIn("private", package)
        for path in (package["types"], package["exports"]["."]["default"],
                     package["exports"]["."]["types"], *package["files"]):
            self.assertTrue((WEB / path).exists(), path)


if __name__ == "__main__":
    unittest.main()

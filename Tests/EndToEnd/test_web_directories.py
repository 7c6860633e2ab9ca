"""Names and pictures in clients/web: from a directory, offline, and changed from a page."""

import unittest

from test_web_client import WebCase

FOLLOW = "window.users = new sync.Directory(client.channel('$users')); users.channel.ready"


class Names(WebCase):
    """Ada's page beside a device that is not ours."""

    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.daemon = self.start_daemon()
        self.bob = await self.device(self.daemon, "bob")

    async def follow(self, page):
        await page.run(f"{FOLLOW}.then(() => users.channel.whenVerified())")

    async def test_a_name_shows_and_changes_on_all_devices(self):
        await self.bob.command("setUser", userId="bob", set={
            "name": "Bob", "profileUrl": "https://example.com/b.png"})
        page = await self.web_user(self.daemon, "ada")
        await self.follow(page)
        await self.bob.publish("room", "hi")
        await page.until("room.items.length === 1", "a message")
        self.assertEqual(
            await page.run("users.get(room.items[0].uuid).name"), "Bob")
        await page.run("window.heard = []; void users.observe((ids) => heard.push(...ids))")
        await self.bob.command("setUser", userId="bob", set={"name": "Bobby"})
        await page.until("users.get('bob').name === 'Bobby'", "the new name")
        self.assertEqual(set(await page.run("heard")), {"bob"})
        self.assertEqual(
            await page.run("users.get('bob').profileUrl"), "https://example.com/b.png")
        changed = await page.run("users.set('ada', { name: 'Ada' })")
        found = (await self.bob.command("users", userId="ada"))["entries"]
        self.assertEqual(found, [{"id": "ada", "name": "Ada", "timetoken": changed}])
        refused = await page.run(
            "users.set('ada', { name: 'Eve' }, { expected: '5' }).catch((it) => it.code)")
        self.assertEqual(refused, "entry_modified")
        await page.run("users.remove('ada')")
        await page.until("users.get('ada') === null && users.channel.isVerified", "the removal")

    async def test_names_are_there_without_a_connection(self):
        await self.bob.settle_all([
            ("setUser", {"userId": f"u{n}", "set": {"name": f"User {n}"}}) for n in range(300)])
        context = await self.browser.context()
        page = await self.web_device(self.daemon, "ada", context)
        await self.follow(page)
        self.assertEqual(await page.run("users.size"), 300)
        await page.run("client.close()")
        await self.bob.command("setUser", userId="u7", set={"name": "other"})
        await page.reload()
        self.daemon.stop()
        await self.start_client(page, self.daemon, "ada")
        await page.run(FOLLOW)
        await page.until("users.size === 300", "what was stored")
        self.assertEqual(await page.run("users.get('u7').name"), "User 7")
        self.daemon.start()
        await page.run("client.close()")
        await self.start_client(page, self.daemon, "ada")
        await self.follow(page)
        self.assertEqual(await page.run("users.get('u7').name"), "other")
        # What changed, and not three hundred names.
        self.assertLess(await page.run("client.stats.received"), 3000)


if __name__ == "__main__":
    unittest.main()

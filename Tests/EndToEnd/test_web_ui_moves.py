"""Components that go to another message or channel, and messages that go away under them."""

import json
import unittest

from test_web_ui import BAR, FIELD, SHEET, UiCase

ALONE = "main > sync-reactions"


class Moves(UiCase):
    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.daemon = self.start_daemon()
        self.zoe = await self.device(self.daemon, "zoe")
        self.message = await self.zoe.publish("room", {"text": "Shall we meet at noon?"})
        await self.zoe.add("room", self.message, "🔥")
        self.ada = await self.person(self.daemon, "ada")

    async def show_alone(self):
        """Reactions of the message by its timetoken, outside of a list."""
        await self.ada.page.run(
            "window.alone = document.createElement('sync-reactions');"
            f"alone.setAttribute('timetoken', {json.dumps(self.message)});"
            "Object.assign(alone, { client, channel: room });"
            "document.querySelector('main').append(alone)")
        await self.says(self.ada, f"{ALONE} >>> [part=count]", ["1"])

    async def delete(self):
        await self.zoe.command("deleteMessage", channel="room", messageTimetoken=self.message)

    async def shows_nothing(self):
        await self.says(self.ada, f"{ALONE} >>> .bubble", [])
        await self.says(self.ada, f"{ALONE} >>> [part=add]", [])

    async def test_reactions_are_of_the_message_that_is_named(self):
        await self.show_alone()
        await self.ada.page.run("alone.channel = client.channel('other')")
        await self.shows_nothing()
        await self.ada.page.run("alone.channel = room")
        await self.says(self.ada, f"{ALONE} >>> [part=count]", ["1"])
        await self.ada.page.run("alone.setAttribute('timetoken', '17')")
        await self.shows_nothing()

    async def test_a_message_is_deleted_while_they_are_elsewhere(self):
        await self.show_alone()
        await self.ada.page.run("alone.remove()")
        await self.delete()
        await self.says(self.ada, f"{BAR} >>> .bubble", [])
        await self.ada.page.run("document.querySelector('main').append(alone)")
        await self.shows_nothing()

    async def test_a_message_is_deleted_under_the_picker(self):
        await self.show_alone()
        await self.ada.page.run("alone.pick()")
        picker = f"{ALONE} >>> sync-reaction-picker >>> [part=row]"
        await self.ada.page.until(f"all({picker!r}).length === 1", "a picker")
        await self.delete()
        await self.ada.page.until(f"all({picker!r}).length === 0", "it to close")
        await self.shows_nothing()

    async def test_a_message_is_deleted_under_those_who_reacted(self):
        await self.ada.click(f"{BAR} >>> [part=who]")
        await self.says(self.ada, f"{SHEET} >>> [part=tab]", ["All1", "🔥1"])
        await self.delete()
        await self.ada.page.until(f"all('{SHEET} >>> [part=tabs]').length === 0", "it to close")

    async def test_a_reply_stays_in_its_channel(self):
        await self.ada.page.run("composer.parent = room.items[0]; composer.value = 'Yes'")
        await self.says(self.ada, "sync-composer >>> [part=cancel]", ["Cancel"])
        await self.ada.page.run(
            "window.other = client.channel('other'); composer.channel = other")
        await self.says(self.ada, "sync-composer >>> [part=cancel]", [])
        self.assertEqual(await self.ada.page.run(f"one('{FIELD}').value"), "Yes")
        await self.ada.page.run("composer.send()")
        await self.ada.page.until("other.items.some((it) => it.timetoken && !it.parent)", "it")

    async def test_an_edit_stays_in_its_channel(self):
        await self.ada.page.run("composer.value = 'a draft'")
        await self.zoe.publish("other", {"text": "elsewhere"})
        await self.ada.page.run(
            "composer.editing = room.items[0]; composer.value = 'anew';"
            "composer.channel = client.channel('other')")
        await self.says(self.ada, "sync-composer >>> [part=cancel]", [])
        self.assertEqual(await self.ada.page.run(f"one('{FIELD}').value"), "a draft")


if __name__ == "__main__":
    unittest.main()

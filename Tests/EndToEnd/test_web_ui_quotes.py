"""What a reply quotes in clients/web/ui: what the message says now, whatever became of it."""

import unittest

from test_web_ui import FIELD, MESSAGE, PICKER, UiCase

TEXT = f"{MESSAGE} >>> [part=text]"
QUOTE = f"{MESSAGE} >>> [part=quote]"
ABOUT = "sync-composer >>> [part=about-text]"
DELETED = "zoe: This message was deleted."
EARLIER = "An earlier message"


class Quotes(UiCase):
    """Zoe's message, Bob's reply, and Ada, who looks at both."""

    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.daemon = self.start_daemon()
        self.zoe = await self.device(self.daemon, "zoe")
        self.bob = await self.device(self.daemon, "bob")
        self.message = await self.zoe.publish("room", {"text": "At noon?"})

    async def reply(self, text):
        return await self.bob.publish("room", {"text": text}, parent=self.message)

    async def edit(self, text):
        await self.zoe.command("editMessage", channel="room", messageTimetoken=self.message,
                               payload={"text": text})

    async def call_deleted(self):
        await self.zoe.add("room", self.message, "deleted", type="deleted")

    async def delete(self):
        await self.zoe.command("deleteMessage", channel="room", messageTimetoken=self.message)

    async def test_a_quote_says_what_the_message_says_now(self):
        reply = await self.reply("Yes.")
        ada = await self.person(self.daemon, "ada")
        await self.says(ada, QUOTE, ["zoe: At noon?"])
        await self.edit("At one?")
        await self.says(ada, QUOTE, ["zoe: At one?"])
        # Nothing happens to the reply itself, and what happens to it changes no quote.
        await self.bob.add("room", reply, "👍")
        await self.edit("At two?")
        await self.says(ada, QUOTE, ["zoe: At two?"])
        await self.call_deleted()
        await self.says(ada, QUOTE, [DELETED])
        fresh = await self.person(self.daemon, "eve")
        await self.says(fresh, QUOTE, [DELETED])
        await self.delete()
        for person in (ada, fresh):
            await self.says(person, QUOTE, [EARLIER])
        gil = await self.person(self.daemon, "gil")
        await self.says(gil, QUOTE, [EARLIER])

    async def test_only_quotes_of_the_message_are_drawn_anew(self):
        await self.reply("Yes.")
        other = await self.zoe.publish("room", {"text": "Who else?"})
        await self.bob.publish("room", {"text": "Eve."}, parent=other)
        await self.reply("Or not.")
        ada = await self.person(self.daemon, "ada")
        await self.says(ada, QUOTE, ["zoe: At noon?", "zoe: Who else?", "zoe: At noon?"])
        await ada.page.run(f"""(() => {{
            window.drawn = [];
            const observer = new MutationObserver((changes) => {{
                for (const {{ target }} of changes) {{
                    const place = target.parentElement?.closest('[part]') ?? target;
                    drawn.push(`${{place.getAttribute('part')}} ${{place.textContent}}`);
                }}
            }});
            for (const row of all({MESSAGE!r}).slice(1)) {{
                observer.observe(row, {{ subtree: true, childList: true, characterData: true,
                    attributes: true }});
            }}
        }})()""")
        await self.edit("At one?")
        await self.says(ada, QUOTE, ["zoe: At one?", "zoe: Who else?", "zoe: At one?"])
        self.assertEqual(await ada.page.run("drawn"), ["quote zoe: At one?"] * 2)
        # What comes to the message and changes no word of it touches no reply.
        await self.bob.add("room", self.message, "👍")
        await ada.page.until(f"texts('{MESSAGE} >>> sync-reactions >>> [part=count]').join() === '1'")
        self.assertEqual(len(await ada.page.run("drawn")), 2)

    async def test_a_message_that_comes_later_is_quoted(self):
        await self.zoe.settle_all([
            ("publish", {"channel": "room", "payload": {"text": f"message {n}"}})
            for n in range(300)])
        await self.reply("Yes.")
        ada = await self.person(self.daemon, "ada", options={
            "window": {"last": 50, "keeping": 1000}})
        await self.says(ada, QUOTE, [EARLIER])
        await ada.page.run(
            "(async () => { while (await room.older(200) === 'more'); return true; })()")
        await self.says(ada, QUOTE, ["zoe: At noon?"])

    async def test_the_composer_quotes_what_the_message_says_now(self):
        ada = await self.person(self.daemon, "ada")
        await ada.click(TEXT, "right")
        await ada.click(f"{PICKER} >>> [data-id=reply]")
        await self.says(ada, ABOUT, ["zoe: At noon?"])
        await ada.type("Yes.")
        await self.edit("At one?")
        await self.says(ada, ABOUT, ["zoe: At one?"])
        await self.call_deleted()
        await self.says(ada, ABOUT, [DELETED])
        await self.delete()
        await self.says(ada, ABOUT, [EARLIER])
        # What was typed stays, and is the reply that it was begun as.
        self.assertEqual(await ada.page.run("composer.value"), "Yes.")
        await ada.click(FIELD)
        await ada.press("Enter")
        await self.says(ada, QUOTE, [EARLIER])
        await self.says(ada, ABOUT, [])
        await ada.page.until("client.waiting === 0", "the reply to be sent")
        self.assertEqual(await ada.page.run("room.items[0].parent"), self.message)


if __name__ == "__main__":
    unittest.main()

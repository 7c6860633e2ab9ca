# A reaction with PubNub's SDK, on your own server. With `make run` in another terminal:
#
#     python3 -m venv env && env/bin/pip install pubnub==10.8.0
#     env/bin/python examples/python/reactions.py
import sys
from pubnub.models.consumer.message_actions import PNMessageAction
from pubnub.pnconfiguration import PNConfiguration
from pubnub.pubnub import PubNub

config = PNConfiguration(subscribe_key="demo", publish_key="demo", uuid="ada")
config.origin = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:8080"  # The line that differs,
config.ssl = False  # and this one, until something in front of the daemon speaks TLS.
pubnub = PubNub(config)

sent = pubnub.publish("room", "Shall we meet at noon?").sync().result.timetoken
thumbs_up = PNMessageAction().create(type="reaction", value="👍", message_timetoken=str(sent))
pubnub.add_message_action("room", thumbs_up).sync()
page = pubnub.fetch_messages("room", count=1, include_message_actions=True).sync().result
for message in page.channels["room"]:
    print(message.message, {value: len(who) for value, who in message.actions["reaction"].items()})
pubnub.stop()

"""PubNub's unmodified SDK for Python, pointed at a daemon by its one setting: `origin`."""

import contextlib
import json
import logging
import pathlib
import tempfile
import textwrap
import threading
import warnings

from pubnub.callbacks import SubscribeCallback
from pubnub.enums import PNStatusCategory
from pubnub.exceptions import PubNubException
from pubnub.models.consumer.message_actions import PNMessageAction
from pubnub.pnconfiguration import PNConfiguration
from pubnub.pubnub import PubNub

from case import DaemonTestCase
from rest import KEYS, LongPoll, Rest
from waiting import PATIENCE, WORK_ALONE_MAX, Patience, until

# It logs every refusal and every lost connection; tests cause them on purpose.
logging.getLogger("pubnub").setLevel(logging.CRITICAL + 1)


def configuration(daemon, user, keys=KEYS, **settings):
    """What an application configures, and the one line that differs: the origin."""
    made = PNConfiguration()
    made.publish_key, made.subscribe_key = keys
    made.user_id = user
    made.origin = "{}:{}".format(*daemon.address)
    made.ssl = False
    made.daemon = True  # Its threads must not outlive a failed test.
    # A machine that does much else is no reason to give a request up.
    made.connect_timeout = made.non_subscribe_request_timeout = PATIENCE * WORK_ALONE_MAX
    for name, value in settings.items():
        setattr(made, name, value)
    return made


class Heard(SubscribeCallback):
    """All that a listener was told, in order; called from the SDK's own threads."""

    def __init__(self):
        self.messages, self.signals, self.actions = [], [], []
        self.presences, self.statuses = [], []
        self.news = threading.Condition()

    def _keep(self, where, what):
        with self.news:
            where.append(what)
            self.news.notify_all()

    def message(self, pubnub, message):
        self._keep(self.messages, message)

    def signal(self, pubnub, signal):
        self._keep(self.signals, signal)

    def message_action(self, pubnub, message_action):
        self._keep(self.actions, message_action)

    def presence(self, pubnub, presence):
        self._keep(self.presences, presence)

    def status(self, pubnub, status):
        self._keep(self.statuses, status)

    def until(self, condition, what):
        """Waits until `condition()` holds, and returns what it returned."""
        patience = Patience(lambda: [len(it) for it in (
            self.messages, self.signals, self.actions, self.presences, self.statuses)])
        with self.news:
            while not self.news.wait_for(condition, 1):
                if patience.is_over:
                    raise AssertionError(
                        f"Nothing happened; waited for {what}. Heard {len(self.messages)} "
                        f"messages, {len(self.actions)} actions, presence "
                        f"{[(it.event, it.uuid, it.channel) for it in self.presences]}, statuses "
                        f"{[(it.category, it.status_code) for it in self.statuses]}.")
            return condition()


class Client:
    """One user's SDK and its listener."""

    def __init__(self, daemon, user, keys=KEYS, **settings):
        self.user = user
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Of its own deprecations.
            self.sdk = PubNub(configuration(daemon, user, keys, **settings))
        self.heard = Heard()
        self.sdk.add_listener(self.heard)

    def close(self):
        self.sdk.stop()

    def subscribe(self, *channels, groups=(), presence=False, timetoken=None):
        """Starts to listen; returns once the handshake is through, unless a cursor is given."""
        before = self._connections()
        builder = self.sdk.subscribe().channels(list(channels)).channel_groups(list(groups))
        if presence:
            builder = builder.with_presence()
        if timetoken is not None:
            builder = builder.with_timetoken(timetoken)
        builder.execute()
        if timetoken is None:
            self.heard.until(lambda: self._connections() > before, "the handshake")
        return self

    def _connections(self):
        return sum(
            it.category == PNStatusCategory.PNConnectedCategory for it in self.heard.statuses)

    def publish(self, channel, message, **options):
        """Publishes and returns the timetoken."""
        return self.sdk.publish(channel, message, **options).sync().result.timetoken

    def add(self, channel, message, value, kind="reaction"):
        """Adds an action and returns it."""
        action = PNMessageAction().create(
            type=kind, value=value, message_timetoken=str(message))
        return self.sdk.add_message_action(channel, action).sync().result

    def remove(self, channel, message, action):
        self.sdk.remove_message_action(channel, message, action).sync()

    def actions(self, channel, **options):
        return self.sdk.get_message_actions(channel, **options).sync().result.actions

    def texts(self):
        """The payloads heard so far."""
        return [it.message for it in self.heard.messages]

    def hear(self, *payloads):
        """Waits for messages, and checks that they are all there is, in this order."""
        self.heard.until(lambda: len(self.heard.messages) >= len(payloads), f"{payloads}")
        if self.texts() != list(payloads):
            raise AssertionError(f"Heard {self.texts()} instead of {list(payloads)}.")


def action_row(action):
    """An action of the SDK as the same tuple as rows.action_row makes."""
    return (int(action.message_timetoken), action.type, action.value, action.uuid,
            int(action.action_timetoken))


class PubNubTestCase(DaemonTestCase):
    """Tests with the SDK; they block, as most programs that use it do."""

    def start_daemon(self, *arguments, configuration=None, **options):
        """As always; `configuration` is the text of a configuration file."""
        if configuration is not None:
            directory = tempfile.TemporaryDirectory(prefix="syncdaemon-test-")
            self.addCleanup(directory.cleanup)
            path = pathlib.Path(directory.name) / "syncdaemon.ini"
            self.configuration_path = path
            path.write_text(textwrap.dedent(configuration), encoding="utf-8")
            arguments += ("--config", str(path))
        return super().start_daemon(*arguments, **options)

    def client(self, daemon, user, keys=KEYS, **settings):
        client = Client(daemon, user, keys, **settings)
        self.addCleanup(client.close)
        return client

    def rest(self, daemon, user="raw", keys=KEYS, **options):
        rest = Rest(daemon, user, keys, **options)
        self.addCleanup(rest.close)
        return rest

    def poll(self, daemon, user, *channels, **options):
        """A long poll by hand, after its handshake."""
        poll = LongPoll(daemon, user, *channels, **options)
        self.addCleanup(poll.rest.close)
        return poll.handshake()

    @contextlib.contextmanager
    def sdk_refused(self, status, text):
        """Expects the SDK to raise with this status, and this text in the body it was sent."""
        with self.assertRaises(PubNubException) as caught:
            yield
        self.assertEqual(caught.exception.get_status_code(), status, caught.exception)
        self.assertIn(text, str(caught.exception))
        json.loads(str(caught.exception).partition("): ")[2])

    def eventually(self, condition, what):
        """Polls for something that no event announces, and returns it."""
        return until(condition, what)

"""All attacks that are known, in the order of the findings."""

from hostile.floods import Fragments, Heads, Pings, SlowReader, SlowReaders, SlowRequests
from hostile.k04_repairs import Repairs
from hostile.s01_filters import Filters
from hostile.s02_surveys import Surveys
from hostile.s03_unread import Unread
from hostile.s04_subscriptions import Subscriptions
from hostile.s05_presence import Presence
from hostile.s06_pages import Pages
from hostile.s07_publish_key import PublishKey
from hostile.s08_tenants import Groups, Tenants
from hostile.s09_rates import Rates
from hostile.s10_files import Files
from hostile.s11_rfc6455 import WebSockets
from hostile.s12_work import Histories, Numbers, Subscribing, Wildcards
from hostile.s13_recent import Recent

ATTACKS = [
    Repairs, Filters, Surveys, Unread, Subscriptions, Presence, Pages, PublishKey, Tenants, Groups,
    Rates, Files, WebSockets, Subscribing, Histories, Wildcards, Numbers, Recent,
    SlowReader, SlowReaders, Fragments, Pings, SlowRequests, Heads]

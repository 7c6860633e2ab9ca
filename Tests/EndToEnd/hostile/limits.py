"""What an attack may cost others. An attack that costs more is a defect."""

#: Milliseconds that no turn of a reactor may be longer than: what a probe of /healthz waits.
TURN_MS_MAX = 50
#: An honest client's p99 during the attack is at most so many times its p99 before it ...
P99_RATIO_MAX = 3
#: ... or at most so many milliseconds.
P99_MS_MAX = 50
#: Bytes of the daemon in memory, where its configuration cannot say `memory_max`.
MEMORY_BYTES_MAX = 512 * 1024 * 1024
#: Seconds after the end of the attack until an honest client is served as before it.
RECOVERY_SECONDS_MAX = 5
#: Seconds of systemd's watchdog during an attack: a tenth of what the unit has.
WATCHDOG_SECONDS = 1.0
#: The unit's WatchdogSec=: the daemon is killed when it says nothing for so long.
UNIT_WATCHDOG_SECONDS = 10

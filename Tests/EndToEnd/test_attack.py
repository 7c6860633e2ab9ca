"""Every known attack for a second: nothing that is refused is accepted, and nobody is cut off.

Times say nothing on a machine that does much else: they are the business of `make attack`.
"""

import unittest

from hostile.known import ATTACKS
from hostile.limits import UNIT_WATCHDOG_SECONDS
from hostile.measure import Plan, carry_out

#: What makes an attack small enough for every push.
SMALL = {
    "K4": {"actions": 3000},
    "F12": {"count": 50},
    "F27": {"count": 200},
}


class Attacks(unittest.TestCase):
    """Each against a daemon of its own."""

    def carry_out(self, kind):
        attack = kind()
        for name, value in SMALL.get(attack.name, {}).items():
            setattr(attack, name, value)
        attack.times = 1
        outcome = carry_out(attack, Plan(1, base=0.5, after=1, patience=60, ahead=False))
        accepted = {text for text, is_refused in outcome.cases if not is_refused}
        self.assertEqual(accepted, set())
        self.assertNotIn("the daemon ended", outcome.broken)
        if outcome.columns:
            # Who was there goes on; newcomers may be turned away when memory gets short.
            self.assertEqual(outcome.columns["failed"], 0, outcome.broken)
            self.assertLess(outcome.columns["beat gap"], UNIT_WATCHDOG_SECONDS)
        else:
            self.assertGreater(len(outcome.cases), 3)


def add_tests():
    """One test for each attack, named after it."""
    for attack in ATTACKS:
        setattr(Attacks, f"test_{attack.name}_{attack.__name__}",
                lambda self, kind=attack: self.carry_out(kind))


add_tests()

if __name__ == "__main__":
    unittest.main()

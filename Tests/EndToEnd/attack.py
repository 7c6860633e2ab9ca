#!/usr/bin/python3
"""Carries out the attacks that are known, each beside an honest client, and says what they cost it.

    attack.py [--binary PATH] [--seconds N] [NAME ...]

NAME is that of a finding, such as S1 or K4; without one all are carried out. Prints a table, and
ends with 1 when a limit (hostile/limits.py) was broken. It measures: let nothing else run.
"""

import argparse
import os
import pathlib
import sys
import time

HEAD = """\
| attack | write p50, p99 base | during | read p50, p99 base | during | worst ratio | \
longest /healthz base | during | RSS peak | longest beat gap | failed, newcomers turned away \
| recovered in |
|---|---|---|---|---|---|---|---|---|---|---|---|"""


def main():
    arguments = parse(sys.argv[1:])
    if arguments.binary:
        os.environ["SYNCDAEMON_BINARY"] = str(pathlib.Path(arguments.binary).resolve())
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    from hostile.crowd import allow_descriptors
    from hostile.known import ATTACKS
    from hostile.measure import Plan, carry_out
    unknown = set(arguments.names) - {it.name for it in ATTACKS}
    if unknown:
        sys.exit(f"There is no attack {', '.join(sorted(unknown))}.")
    allow_descriptors()
    outcomes = []
    for attack in ATTACKS:
        if not arguments.names or attack.name in arguments.names:
            begin = time.monotonic()
            outcomes.append(carry_out(attack(), Plan(arguments.seconds)))
            print(f"{attack.name}: {time.monotonic() - begin:.0f} s, {outcomes[-1].counts}, "
                  f"{outcomes[-1].broken or 'held'}", file=sys.stderr, flush=True)
    show(outcomes)
    sys.exit(1 if any(it.broken for it in outcomes) else 0)


def parse(words):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", help="the daemon; else SYNCDAEMON_BINARY, or the debug build")
    parser.add_argument("--seconds", type=float, default=10, help="of each attack")
    parser.add_argument("names", nargs="*", metavar="NAME")
    return parser.parse_args(words)


def show(outcomes):
    """The tables."""
    loads = [it for it in outcomes if it.columns]
    if loads:
        print(HEAD)
    for outcome in loads:
        print(row(outcome))
    if any(it.cases for it in outcomes):
        print("\n| attack | refused or harmless | of | accepted |\n|---|---|---|---|")
    for outcome in outcomes:
        if outcome.cases:
            accepted = [text for text, is_refused in outcome.cases if not is_refused]
            print(f"| {outcome.attack.name} {outcome.attack.title} "
                  f"| {len(outcome.cases) - len(accepted)} | {len(outcome.cases)} "
                  f"| {'; '.join(accepted) or '-'} |")
    broken = [it for it in outcomes if it.broken]
    print(f"\n{len(outcomes) - len(broken)} of {len(outcomes)} within their limits.")
    for outcome in broken:
        print(f"- {outcome.attack.name}: {'; '.join(outcome.broken)}")


def row(outcome):
    columns = outcome.columns

    def two(name):
        return ", ".join(f"{it:.1f}" if it < 100 else f"{it:.0f}" for it in columns[name]) + " ms"

    return (f"| {outcome.attack.name} {outcome.attack.title} | {two('write base')} "
            f"| {two('write during')} | {two('read base')} | {two('read during')} "
            f"| {columns['ratio']:.1f} | {columns['turn base']:.0f} ms | {columns['turn']:.0f} ms "
            f"| {columns['memory'] / 2**20:.0f} MiB | {columns['beat gap']:.2f} s "
            f"| {columns['failed']}, {columns['turned away']} "
            f"| {columns['recovered']:.1f} s |")


if __name__ == "__main__":
    main()

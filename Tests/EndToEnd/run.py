#!/usr/bin/python3
"""Runs the tests of this directory: several modules at a time, each in a process of its own.

Most tests wait for processes and sockets, so that there is one module more at a time than cores:
with two cores all take 339 s, where two at a time take 451 s.
What a module prints is shown whole when it ends.

    run.py [-k PATTERN] [-j MODULES_AT_A_TIME] [--again] [MODULE ...]

SYNCDAEMON_BINARY names the daemon. The exit code is 1 when a test failed. With --again a module
that failed is run once more, alone, when all others are through: what fails then, too, failed. What
passes only alone is named at the end, and is a defect of the test or of the program all the same.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent

# These take a minute or more: they begin first, so that none is left over at the end.
LONG = ["test_console", "test_web_client", "test_admin", "test_attack", "test_web_ui",
        "test_postgres_seat", "test_web_ui_strangers", "test_emoji", "test_backup",
        "test_web_ui_access", "test_service", "test_webhooks", "test_web_windows"]


def main():
    arguments = parse(sys.argv[1:])
    modules = arguments.modules or found()
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        running = [pool.submit(run, module, arguments.pattern) for module in modules]
        results = [report(*each.result()) for each in concurrent.futures.as_completed(running)]
    failed = sorted(module for module, _, passed in results if not passed)
    count = sum(tests for _, tests, _ in results)
    unsteady = []
    if arguments.again and len(failed) <= AGAIN_MAX:
        unsteady = [module for module in failed if report_again(module, arguments.pattern)]
        failed = [module for module in failed if module not in unsteady]
    print(f"{count} tests of {len(modules)} modules in {time.monotonic() - begin:.0f} s")
    if unsteady:
        print(f"PASSED ONLY ALONE: {', '.join(unsteady)}")
    if failed:
        print(f"FAILED: {', '.join(failed)}")
    # A run of nothing proves nothing: a pattern that fits no test is a mistake.
    sys.exit(1 if failed or count == 0 else 0)


# Where more fail it is no chance.
AGAIN_MAX = 2


def report_again(module, pattern):
    """Runs a module that failed once more; returns whether it passed."""
    print(f"== {module} failed; once more, alone", flush=True)
    return report(*run(module, pattern))[2]


def parse(words):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-k", dest="pattern", help="only tests whose name contains this")
    parser.add_argument("-j", dest="jobs", type=int, default=os.cpu_count() + 1)
    parser.add_argument("--again", action="store_true", help="run once more, alone, what failed")
    parser.add_argument("modules", nargs="*", metavar="MODULE")
    return parser.parse_args(words)


def found():
    """All modules with tests, the long ones first."""
    names = sorted(path.stem for path in HERE.glob("test_*.py"))
    return sorted(names, key=lambda name: LONG.index(name) if name in LONG else len(LONG))


def run(module, pattern):
    """Runs one module; returns its name, how long it took, its exit code and what it printed."""
    command = [sys.executable, "-m", "unittest", "-v", module]
    if pattern:
        command += ["-k", pattern]
    begin = time.monotonic()
    ended = subprocess.run(
        command, cwd=HERE, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    return module, time.monotonic() - begin, ended.returncode, ended.stdout


def report(module, seconds, code, output):
    """Prints what a module printed; returns its name, its number of tests and whether all passed."""
    ran = re.search(r"^Ran (\d+) tests? in", output, re.MULTILINE)
    count = int(ran.group(1)) if ran else 0
    # 5: Python 3.12 on for no tests at all.
    passed = ran is not None and code in (0, 5)
    print(f"== {module}: {count} tests in {seconds:.0f} s\n{output}", flush=True)
    return module, count, passed


if __name__ == "__main__":
    main()

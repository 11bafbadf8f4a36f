#!/usr/bin/env python3
"""Tests of the live page in a browser.

    python apps/view/tests/browser.py --sph target/release/sph            # half a minute
    python apps/view/tests/browser.py --sph target/release/sph --full     # minutes: every scene, every control, memory, speed
    python apps/view/tests/browser.py --sph target/release/sph --alone target/live   # what scripts/build-web has written

Needs a Chromium of the system and the package `playwright`, and serves the page itself. Prints a line for each check and
ends with 1 if any failed. A message of the browser's console, an exception, or a request that fails makes the check fail
during which it came.
"""

import argparse
import pathlib
import shutil
import signal
import sys
import tempfile
import time
import traceback

from checks import alone, controls, load, pictures, touch, watch, words
from checks.live import LARGE, SMALL, Failure, Files, Server, Tab
from playwright.sync_api import Error as BrowserError
from playwright.sync_api import sync_playwright

QUICK = [
    watch.first_scene_shows_itself,
    watch.panes_run_in_step,
    watch.every_method_moves,
    words.step_is_walked_by_phases,
    watch.run_can_be_controlled,
    watch.velocities_are_drawn,
    watch.command_line_sets_keys,
    touch.push_moves_the_fluid,
    touch.block_is_added_or_refused,
    touch.pick_shows_a_particle,
    touch.gravity_turns,
    touch.parameter_changes_or_is_refused,
    touch.body_in_space_is_pushed,
    touch.space_is_lit_turned_and_pushed,
    touch.inner_spheres_are_left_out_unseen,
    words.editor_marks_and_opens,
    words.kept_run_is_repeated,
    words.frames_are_recorded,
    words.failure_is_explained_and_rewound,
    watch.widths_fit,
    watch.second_page_watches,
    watch.dark_and_still_loads,
]

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
# Pictures are drawn by the processor: machines of tests have no GPU. A page from a folder counts as one from elsewhere, which
# may not connect to this machine unless told so.
FLAGS = [
    "--disable-features=LocalNetworkAccessChecks",
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]


class Run:
    """What the checks work with, and what they have found."""

    def __init__(self, browser, options, folder):
        self.browser, self.options = browser, options
        self.page_folder, self.folder = options.page, folder
        self.faults, self.failed = [], []
        self.table, self.figures = [], []
        self.server = self.tab = None

    def begin(self, *arguments, size=LARGE):
        """Starts the server, and a page of it."""
        folder = self.options.alone
        self.server = Files(self.options.sph, folder) if folder else Server(self.options.sph, *arguments)
        self.tab = Tab(self.browser, self.server, self.page_folder, viewport=size)

    def end(self):
        """Ends both."""
        if self.server:
            self.server.close()
        if self.tab:
            self.tab.close()

    def check(self, work):
        """Does a check and prints how it went. One that fails does not keep the others from it."""
        if self.options.only and self.options.only not in work.__name__ and work is not QUICK[0]:
            return
        begin, why = time.monotonic(), ""
        try:
            work(self)
        except (Failure, BrowserError, OSError) as error:
            why = str(error).splitlines()[0]
        except Exception:
            why = traceback.format_exc()
        self.tab.note_controls()
        faults, self.faults = self.faults + self.tab.faults, []
        self.tab.faults.clear()
        why = "; ".join([why, *faults] if why else faults)
        seconds = time.monotonic() - begin
        print(f"FAILED {work.__name__}: {why}" if why else f"ok {work.__name__}", f"({seconds:.1f} s)", flush=True)
        if why:
            self.failed.append(work.__name__)


def pages(run):
    """What the gate runs; in full also every control, every scene, and what memory and time they need."""
    run.begin("--threads", "1", size=LARGE if run.options.full else SMALL)
    works = QUICK + (controls.ALL + load.ALL if run.options.full else [])
    if run.options.alone:
        # The runs are the page's own: there is no second one, none comes back, and no command line.
        of_servers = (watch.second_page_watches, watch.dark_and_still_loads, watch.command_line_sets_keys)
        works = [work for work in QUICK if work not in of_servers] + alone.ALL
        works += [alone.book_has_figures] if run.options.book else []
    for work in works:
        run.check(work)
        if run.failed == [QUICK[0].__name__]:
            break
    if run.table:
        print(f"\n{'scene':22} {'method':13} {'t [s]':>6}  outcome", *run.table, sep="\n")
    if run.figures:
        print("", *run.figures, sep="\n")


def record(run):
    """The pictures of the book."""
    run.begin()
    run.check(pictures.pictures_are_written)


def options():
    """What is asked for on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sph", type=pathlib.Path, required=True, help="the program")
    parser.add_argument("--full", action="store_true", help="also what takes minutes")
    parser.add_argument("--alone", type=pathlib.Path, metavar="FOLDER", help="the page without a server, in this folder")
    parser.add_argument("--book", type=pathlib.Path, metavar="FOLDER", help="a book that has this page in its folder `live`")
    parser.add_argument("--minutes", type=float, default=10.0, help="of random input (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of random input (default: %(default)s)")
    parser.add_argument("--record", type=pathlib.Path, metavar="FOLDER", help="write the pictures of the book, and test nothing")
    parser.add_argument("--page", type=pathlib.Path, metavar="FOLDER", help="files of the page in place of those in the program")
    parser.add_argument("--only", metavar="WORD", help="only checks whose names hold this")
    return parser.parse_args()


def main():
    """Runs what is asked for."""
    asked = options()
    asked.sph = asked.sph.resolve()
    # So that the server ends, too, when something ends this program.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    chromium = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if not chromium:
        sys.exit(f"none of {', '.join(CHROMIUM)} is installed")
    begin = time.monotonic()
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium, headless=True, args=FLAGS)
        run = Run(browser, asked, pathlib.Path(folder))
        try:
            (record if asked.record else pages)(run)
        finally:
            run.end()
        browser.close()
    seconds = time.monotonic() - begin
    end = f"{len(run.failed)} checks failed: {', '.join(run.failed)}" if run.failed else "all checks passed"
    print(f"{end} ({seconds:.0f} s)")
    sys.exit(bool(run.failed))


if __name__ == "__main__":
    main()

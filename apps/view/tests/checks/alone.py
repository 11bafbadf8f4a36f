"""The page without a server: its runs have the bits of the program, and are fast enough to look at."""

import re
import subprocess
import time

from .live import COLUMN, METHODS, POOL, Files, expect

STEPS = 20
"""Of the runs that are compared."""
SCENES = ["cube", "circle_demo", "bodies", "pool", "rotating_circle", "standing_wave"]
"""Scenes in 3D, in containers, with dynamic bodies and moving walls."""
LONG, UNEVEN = 100, ["dam_break_2d", "cavity", "measured"]
"""Steps and scenes that meet the equation of state at walls away from the density at rest."""
WINDOW = 4.0
"""Time over which speeds are measured, s."""


def runs_have_the_bits_of_the_program(run):
    """After some steps in the browser every particle has the bits that `sph run` gives it."""
    tab = run.tab
    columns = [{"scene": f"column-{method}", "text": COLUMN, "method": method} for method in METHODS]
    works = [(choice, STEPS) for choice in columns + [{"scene": scene} for scene in SCENES]]
    for choice, steps in works + [({"scene": scene}, LONG) for scene in UNEVEN]:
        name = choice["scene"]
        tab.open(choice)
        for _ in range(steps):
            tab.page.evaluate("live.send({ do: 'step' })")
        tab.until(f"s.panes[0].step === {steps}", f"{name} does not do its steps")
        tab.click("#tab-keep")
        scene = tab.download("#save-scene", run.folder / f"{name}.toml")
        kept = tab.download("#save-checkpoint", run.folder / f"{name}.sph")
        ends = ["--set", f"run.max_steps={steps}", "--set", "run.end_time=100"]
        own = last_state(run, "run", scene, *ends, "--out", run.folder / f"{name}-own")
        there = last_state(run, "run", scene, f"--resume={kept}", *ends, "--out", run.folder / f"{name}-there")
        expect(own == there, f"{name}: {there} in the browser, {own} in the program")
        tab.click("#tab-view")


def last_state(run, *arguments):
    """Time and hash with which a run of the program ends."""
    done = subprocess.run([run.server.sph, *arguments], capture_output=True, text=True, timeout=60, check=False)
    found = re.search(r"last state: .*hash \w+", done.stdout)
    expect(done.returncode == 0 and found, f"sph {arguments} ends with {done.returncode}: {done.stderr[-300:]}")
    return found[0]


def failed_program_is_told(run):
    """The page says so when the program is none."""
    tab = run.tab
    tab.context.route("**/sph.wasm", lambda route: route.fulfill(status=200, body="no program"))
    tab.page.goto(f"{run.server.address}#")
    tab.page.reload()
    tab.page.wait_for_function("() => document.getElementById('link-state').textContent === 'the runs have ended'")
    expect(any("load the page again" in text for text in tab.state()["errors"]), "the way out is not told")
    tab.click("#tab-keep")
    tab.click("#save-scene")
    tab.page.wait_for_function("() => sphView.state().errors.includes('There are no runs.')")
    tab.context.unroute("**/sph.wasm")
    tab.load()
    tab.click("#tab-view")


def unseen_page_rests(run):
    """Runs of a page that draws nothing stop after a while, and their worker with them; they go on when it draws again."""
    tab = run.tab
    tab.open(COLUMN)
    tab.page.workers[0].evaluate("""() => {
      const { turn } = program;
      self.turns = 0;
      program = { ...program, turn: () => { self.turns += 1; return turn(); } };
    }""")
    tab.play("s.panes[0].step > 3")
    tab.page.evaluate("() => { live.held = []; live.draw = requestAnimationFrame; window.requestAnimationFrame = (f) => live.held.push(f); }")
    tab.page.wait_for_timeout(3000)
    turns, step = worker_at(tab)
    tab.page.wait_for_timeout(1500)
    later = worker_at(tab)
    tab.page.evaluate("() => { window.requestAnimationFrame = live.draw; live.held.forEach((f) => f(0)); }")
    expect(later[0] - turns < 10, f"{later[0] - turns} turns in 1.5 s without a picture")
    expect(later[1] == step, f"{later[1] - step} steps in 1.5 s without a picture")
    tab.until(f"s.panes[0].step > {step + 50}", "the run does not go on")
    tab.pause()


def worker_at(tab):
    """Turns of the worker, and the step of its first pane, which the header of a checkpoint has: no message asks for it."""
    header = tab.save("checkpoint")[:400]
    return tab.page.workers[0].evaluate("self.turns"), int(re.search(r"\nstep = (\d+)", header)[1])


def small():
    """Scenes of about 2 000 particles, and what they are."""
    text = POOL.replace("0.05", "0.0225").replace("max = [2.0, 0.5]", "max = [1.0, 1.0]")
    column = {method: {"scene": f"column-{method}", "text": text, "method": method} for method in METHODS}
    return {"disc of the double-density demo": {"scene": "circle_demo"}} | {f"column, {m}": column[m] for m in METHODS}


def speed_is_measured(run):
    """Steps and frames a second in the browser, and steps of the program on one thread: figures, no limits."""
    tab = run.tab
    tab.set_speed(100)
    for name, choice in small().items():
        tab.open(choice)
        tab.play("s.running && s.panes[0].step > 3")
        first, begin = tab.state()["panes"][0], time.monotonic()
        tab.page.wait_for_timeout(1000 * WINDOW)
        last, seconds = tab.state()["panes"][0], time.monotonic() - begin
        tab.pause()
        steps, frames = ((last[what] - first[what]) / seconds for what in ("step", "frames"))
        scene = run.folder / "speed.toml"
        scene.write_text(tab.save("scene"), encoding="utf-8")
        ends = ["--set", "run.end_time=1e6", "--set", f"run.max_steps={last['step']}", "--threads", "1"]
        begin = time.monotonic()
        last_state(run, "run", scene, *ends, "--out", run.folder / "speed")
        own = last["step"] / (time.monotonic() - begin)
        run.figures.append(f"{name}: {last['n']} particles, {steps:.0f} steps/s and {frames:.0f} frames/s, {own:.0f} steps/s in the program")
    tab.set_speed(1)


CHAPTERS = {"wcsph": 1, "pbf": 1, "viscoelastic": 1, "projection": 1, "side-by-side": 4}
"""Panes of the figure of each chapter."""


def book_has_figures(run):
    """The figure of each chapter runs, and is pushed."""
    book = Files(run.server.sph, run.options.book)
    page = run.tab.page
    for chapter, panes in CHAPTERS.items():
        page.goto(f"{book.address}{chapter}.html")
        page.locator(".live iframe").scroll_into_view_if_needed()
        figure = page.locator(".live iframe").element_handle().content_frame()
        figure.wait_for_function(f"() => window.sphView?.state().panes.filter(({{ frames }}) => frames).length === {panes}")
        expect(figure.evaluate("sphView.state().tool") == "push", f"{chapter}: the figure is not pushed")
        expect(not figure.locator("#side").is_visible(), f"{chapter}: the figure has the panels of the page")
        figure.locator("#play").click()
        figure.wait_for_function("() => sphView.state().panes.every(({ t }) => t > 0.02)")
        page.screenshot(path=run.folder / f"{chapter}.png")
    book.close()


ALL = [runs_have_the_bits_of_the_program, unseen_page_rests, failed_program_is_told, speed_is_measured]

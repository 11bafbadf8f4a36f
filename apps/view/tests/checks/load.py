"""What takes minutes: every scene in every method, random input, memory and speed."""

import os
import random
import time

from .live import METHODS, POOL, Failure, Tab, expect

SCENE_SECONDS = 6.0
"""Longest time for a scene, s."""
SIMULATED_SECONDS = 2.0
"""How far a scene goes, simulated s."""
WARM_UP = 2.0
"""Random input before the first measurement of memory, minutes."""
MOST_GROWTH = 5.0
"""Of memory, MiB."""
WINDOW = 6.0
"""Time over which speeds are measured, s."""
LONG = 60.0
"""Longest wait for the opening of a large scene, s."""


def every_scene_runs_in_every_method(run):
    """A scene runs for a while, fails with a diagnosis, or is refused in words; in each case the page goes on."""
    tab = run.tab
    tab.set_speed(10)
    scenes = tab.page.evaluate("live.store.hello.scenes.map(({ name, method }) => [name, method])")
    expect(len(scenes) > 20, f"only {len(scenes)} scenes")
    for scene, own in scenes:
        for method in METHODS:
            t, outcome = scene_outcome(tab, {"scene": scene, "method": None if method == own else method})
            run.table.append(f"{scene:22} {method:13} {t:6.3f}  {outcome}")
    tab.pause()
    tab.set_speed(1)


def scene_outcome(tab, choice):
    """Opens a scene and lets it run. Returns the simulated time that it reached, s, and how it went."""
    said = len(tab.state()["said"])
    try:
        tab.open(choice, patience=3)
    except Failure:
        errors = [text for text in tab.state()["said"][said:] if text.startswith("error")]
        if not errors:
            raise
        return 0.0, f"refused: {errors[0].removeprefix('error: ')}"
    first = tab.state()["panes"][0]["frames"]
    begin = time.monotonic()
    tab.play("s.running || s.panes[0].failed")
    pane = tab.state()["panes"][0]
    while not pane["failed"] and pane["t"] < SIMULATED_SECONDS and time.monotonic() < begin + SCENE_SECONDS:
        tab.page.wait_for_timeout(100)
        pane = tab.state()["panes"][0]
    expect(pane["frames"] > first or pane["failed"], f"{choice} shows no frames")
    expect(tab.picture()["lit"] > 200, f"{choice} is dark")
    if pane["failed"]:
        return pane["t"], f"failed: {pane['failed'].splitlines()[0]}"
    return pane["t"], "ran" if pane["t"] >= SIMULATED_SECONDS else "ran, slower than asked"


def random_input_leaves_no_memory(run):
    """After minutes of random input neither the server nor the page holds more than after the first two."""
    tab, dice = run.tab, random.Random(run.options.seed)
    cdp = tab.context.new_cdp_session(tab.page)
    cdp.send("Performance.enable")
    tab.open(POOL, {"scene": "pool", "text": POOL, "method": "pbf"})
    begin, before, acts = time.monotonic(), None, 0
    warm_up, end = (60 * min(part, run.options.minutes) for part in (WARM_UP, run.options.minutes))
    while (now := time.monotonic() - begin) < end:
        if not before and now >= warm_up:
            before = memory(run, cdp)
        if any(pane["failed"] for pane in tab.state()["panes"]):
            tab.key("r")
        dice.choice(ACTS)(tab, dice)
        acts += 1
    after = memory(run, cdp)
    before = before or after
    for name, old, new in zip(("server", "page"), before, after, strict=True):
        run.figures.append(f"memory of the {name}: {old:.1f} MiB after {warm_up / 60:g} min, {new:.1f} MiB after {end / 60:g}")
    run.figures.append(f"random input: {acts} acts, seed {run.options.seed}")
    for name, old, new in zip(("server", "page"), before, after, strict=True):
        expect(new <= old + MOST_GROWTH, f"the {name} grew from {old:.1f} to {new:.1f} MiB")


def memory(run, cdp):
    """Memory of server and page, MiB: both at the start of a run, without what they could free."""
    run.tab.page.keyboard.press("Escape")
    run.tab.pause()
    run.tab.anew("document.getElementById('reset').click()")
    run.tab.page.wait_for_timeout(1000)
    cdp.send("HeapProfiler.collectGarbage")
    metrics = {metric["name"]: metric["value"] for metric in cdp.send("Performance.getMetrics")["metrics"]}
    return run.server.memory(), metrics["JSHeapUsedSize"] / 2**20


def somewhere(dice):
    """A point of the pool."""
    return [dice.uniform(0.1, 1.9), dice.uniform(0.05, 1.4)]


def random_drag(tab, dice):
    """Pushes, or moves the camera."""
    tab.choose("tool", dice.choice(["push", "look"]))
    tab.drag(somewhere(dice), somewhere(dice), k=dice.randrange(2), seconds=dice.uniform(0.1, 0.6))


def random_click(tab, dice):
    """Picks a particle."""
    tab.choose("tool", "pick")
    tab.click_at(somewhere(dice), k=dice.randrange(2))


def random_key(tab, dice):
    """A key of the page."""
    tab.key(dice.choice([" ", " ", " ", ".", "[", "]", "b", "p", "ArrowRight", "Escape"]))
    tab.page.wait_for_timeout(dice.randrange(300))


def random_panes(tab, _):
    """One pane, and two again."""
    for count in (1, 2):
        tab.key(str(count))
        tab.until(f"s.panes.length === {count} && s.panes.every((pane) => pane.frames)", f"not {count} panes")


def random_field(tab, dice):
    """Other colors."""
    tab.page.locator(f"#field-{dice.randrange(2)}").select_option(dice.choice(["speed", "density"]))
    tab.click("#tab-view")
    tab.page.locator("#map").select_option(dice.choice(["sigmoid", "viridis"]))


def random_panel(tab, dice):
    """Another panel, and the plots."""
    tab.click(f"#tab-{dice.choice(['view', 'step', 'particle', 'keep', 'log'])}")
    tab.page.locator("#plots").evaluate("(plots, open) => { plots.open = open; }", dice.random() < 0.5)


def random_slider(tab, dice):
    """Gravity, and a parameter."""
    tab.click("#tab-parameters")
    tab.slide("#gravity-first", dice.uniform(-90, 90))
    sliders = tab.page.locator("#parameters input[type=range]")
    slider = sliders.nth(dice.randrange(sliders.count()))
    tab.slide(f"#{slider.get_attribute('id')}", dice.uniform(0.3, 0.7))


def random_wheel(tab, dice):
    """Zooms."""
    tab.page.mouse.move(*tab.place([1.0, 0.5]))
    tab.page.mouse.wheel(0, dice.choice([-200, 200]))


ACTS = [
    *2 * [random_drag, random_click, random_field, random_panel, random_slider, random_wheel],
    *4 * [random_key],
    random_panes,
]


def plane(method):
    """About 20 000 particles in 2D."""
    text = POOL.replace("0.05", "0.01").replace("max = [2.0, 0.5]", "max = [2.0, 1.0]")
    return {"scene": f"plane-{method}", "text": text, "method": method}


def space():
    """About 100 000 particles in 3D."""
    block = "shape.block = {{ min = [0.0, 0.0, 0.0], max = [{0}, {1}, {0}] }}"
    text = POOL.replace('title = "Pool"', 'title = "Pool"\ndim = 3').replace("0.05", "0.02")
    text = text.replace("shape.block = { min = [0.0, 0.0], max = [2.0, 0.5] }", block.format("1.0", "0.8"))
    text = text.replace("shape.block = { min = [0.0, 0.0], max = [2.0, 1.5] }", block.format("1.0", "1.5"))
    return {"scene": "space", "text": text}


def speed_is_measured(run):
    """Frames and steps a second with and without a page, and how long a step takes to the page: figures, no limits."""
    run.end()
    run.begin()
    run.figures.append(f"speed, on {os.cpu_count()} processors that also draw the page:")
    tab = run.tab
    tab.load()
    tab.set_speed(100)
    for method in ("wcsph", "pbf"):
        tab.open(plane(method), patience=LONG)
        n = tab.state()["panes"][0]["n"]
        watched, frames = playing(run)
        run.figures.append(f"{method}, 2D, {n} particles: {frames:.1f} frames/s and {watched:.0f} steps/s on the page")
        tab.pause()
        delays = sorted(step_delay(tab) for _ in range(9))
        own = 1e3 * sum(seconds for _, seconds in tab.stats()["phases"])
        run.figures.append(f"{method}: {delays[4]:.0f} ms from a key to its step on the screen, {own:.0f} ms of it in the step")
        tab.play("s.running")
        tab.close()
        alone = steps_per_second(run)
        run.figures.append(f"{method}: {alone:.0f} steps/s without a page, {watched:.0f} with one: {alone / watched:.2f} times")
        run.tab = tab = Tab(run.browser, run.server, run.page_folder)
        tab.load()
        tab.pause()
    tab.open(space(), patience=LONG)
    n = tab.state()["panes"][0]["n"]
    run.figures.append(f"3D, {n} particles: {drawings_per_second(tab):.1f} drawings/s of the page alone")
    watched, frames = playing(run)
    run.figures.append(f"3D, {n} particles: {frames:.1f} frames/s and {watched:.1f} steps/s on the page")
    expect(frames > 0, "no frames of a large scene are shown")


def playing(run):
    """Steps and frames a second of a run on the page."""
    run.tab.play("s.running && s.panes[0].step > 3", patience=LONG)
    first = run.tab.state()["panes"][0]["frames"]
    begin = time.monotonic()
    steps = steps_per_second(run)
    return steps, (run.tab.state()["panes"][0]["frames"] - first) / (time.monotonic() - begin)


def steps_per_second(run):
    """Steps a second, which the server tells without a page."""
    before, begin = run.server.step(), time.monotonic()
    time.sleep(WINDOW)
    after, end = run.server.step(), time.monotonic()
    return (after - before) / (end - begin)


def step_delay(tab):
    """Time from the key of a step to its picture, ms."""
    return tab.page.evaluate("""() => new Promise((done) => {
      const begin = performance.now();
      const { step } = live.store.panes[0].frame;
      const look = () => {
        if (live.store.panes[0].frame.step > step) requestAnimationFrame(() => done(performance.now() - begin));
        else setTimeout(look, 1);
      };
      document.dispatchEvent(new KeyboardEvent('keydown', { key: '.', bubbles: true }));
      look();
    })""")


def drawings_per_second(tab):
    """How often the picture of the first pane can be drawn in a second."""
    return tab.page.evaluate("""() => {
      const [view] = live.views();
      const { gl } = view.renderer;
      const pixel = new Uint8Array(4);
      const begin = performance.now();
      let drawn = 0;
      while (drawn < 3 || performance.now() < begin + 3000) {
        view.draw();
        gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
        drawn += 1;
      }
      return (1000 * drawn) / (performance.now() - begin);
    }""")


ALL = [every_scene_runs_in_every_method, random_input_leaves_no_memory, speed_is_measured]


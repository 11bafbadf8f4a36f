"""Checks of what is seen: pictures, panes side by side, play and rewind, sizes of the window, looks, watchers."""

from .live import COLUMN, METHODS, Server, Tab, expect


def first_scene_shows_itself(run):
    """The page opens the first scene, and draws it."""
    tab = run.tab
    tab.load()
    state = tab.until("s.controller", "the page is not in control")
    first = tab.page.evaluate("live.store.hello.first")
    expect(state["panes"][0]["scene"] == first, f"not {first} is shown")
    lit = tab.picture()["lit"]
    expect(lit > 1000, f"{lit} lit pixels")
    expect(tab.page.locator("#link-state").inner_text() in ("connected", "in this browser"), "the page does not say where its runs are")


def panes_run_in_step(run):
    """Two panes are never further apart than the last step of the one ahead."""
    tab = run.tab
    tab.open(COLUMN)
    tab.anew("document.querySelector('[name=pane-count][value=\"2\"]').click()")
    tab.page.evaluate("""() => {
      live.pairs = [];
      const pair = () => live.store.panes.map(({ frame }) => [frame.t, frame.stats.dt ?? 0]);
      live.on('frame', (k) => live.pairs && k === 1 && live.pairs.push(pair()));
    }""")
    methods = [pane["method"] for pane in tab.state()["panes"]]
    expect(len(set(methods)) == 2, f"panes of {methods}")
    tab.play("s.panes.every((pane) => pane.t > 0.8)")
    tab.pause()
    pairs = tab.page.evaluate("live.pairs")
    tab.page.evaluate("live.pairs = null")
    expect(len(pairs) > 3, f"{len(pairs)} pairs of frames")
    for pair in pairs:
        (behind, _), (ahead, dt) = sorted(pair)
        expect(ahead - behind <= 1.001 * dt, f"{ahead - behind} s apart, a step is {dt} s")


def every_method_moves(run):
    """Four panes show four methods, and each picture changes with time."""
    tab = run.tab
    tab.open(COLUMN)
    tab.click("label:has([name=pane-count][value='4'])")
    tab.until("s.panes.length === 4 && s.panes.every((pane) => pane.frames && pane.n)", "four panes do not open")
    methods = [pane["method"] for pane in tab.state()["panes"]]
    expect(methods == METHODS, f"panes of {methods}")
    before = [tab.picture(k) for k in range(4)]
    tab.play("s.panes.every((pane) => pane.t > 0.25)")
    tab.pause()
    for k, method in enumerate(METHODS):
        after = tab.picture(k)
        expect(before[k]["lit"] > 5000 and after["lit"] > 5000, f"{method} is dark: {after}")
        expect(after["hash"] != before[k]["hash"], f"the picture of {method} stands still")
        expect(after["lit"] != before[k]["lit"], f"the particles of {method} stand still")


def velocities_are_drawn(run):
    """The layer of velocities draws over a flow in 2D and 3D, and goes again."""
    tab = run.tab
    for dim in (2, 3):
        tab.open(COLUMN if dim == 2 else {"scene": "cube"})
        tab.play("s.panes[0].t > 0.05")
        tab.pause()
        # Frames of the last steps may still be on their way.
        tab.page.wait_for_timeout(300)
        without = tab.picture()["hash"]
        tab.click("#layer-vectors")
        tab.page.wait_for_function("() => live.store.panes[0].frame.vectors")
        expect(tab.picture()["hash"] != without, f"velocities are not drawn in {dim}D")
        tab.click("#layer-vectors")
        expect(tab.picture()["hash"] == without, f"velocities stay in {dim}D")


def command_line_sets_keys(run):
    """The first scene opens with what `--set` says, and the chooser of the spacing overrides it."""
    server = Server(run.server.sph, "--set", "spacing=0.05", "--set", "solver.sound_speed=60")
    tab = Tab(run.browser, server, run.page_folder)
    try:
        tab.load()
        expect(tab.state()["panes"][0]["n"] == 400, "the spacing is not that of --set")
        expect("sound_speed = 60" in tab.save("scene"), "the sound speed is not that of --set")
        tab.anew("const it = document.getElementById('spacing-0'); it.value = '0.1'; it.dispatchEvent(new Event('change'))")
        expect(tab.state()["panes"][0]["n"] == 100, "the chosen spacing does not count")
        expect("sound_speed = 60" in tab.save("scene"), "another spacing forgets --set")
        tab.anew("const it = document.getElementById('method-0'); it.value = 'pbf'; it.dispatchEvent(new Event('change'))")
        expect(tab.state()["panes"][0]["method"] == "pbf", "--set keeps another method out")
        tab.anew("const it = document.getElementById('scene'); it.value = 'square'; it.dispatchEvent(new Event('change'))")
        expect(tab.state()["panes"][0]["n"] == 1600, "--set changes another scene")
    finally:
        run.faults += tab.faults
        tab.close()
        server.close()


def run_can_be_controlled(run):
    """Speed, pause, step, rewind and reset: each by its button and by its key."""
    tab = run.tab
    tab.open(COLUMN)
    tab.set_speed(1)
    speed_changes(tab)
    tab.click("#play")
    tab.until("s.running && s.panes[0].t > 2.6", "the run does not play")
    tab.key(" ")
    tab.until("!s.running", "the run does not pause")
    # Frames of the last steps may still be on their way.
    tab.page.wait_for_timeout(400)
    paused = tab.state()["panes"][0]["step"]
    tab.page.wait_for_timeout(300)
    expect(tab.state()["panes"][0]["step"] == paused, "a paused run goes on")
    for act in (lambda: tab.click("#step"), lambda: tab.key(".")):
        step = tab.state()["panes"][0]["step"]
        act()
        tab.until(f"s.panes[0].step === {step + 1}", "a step is not done")
    rewinds(tab)
    for act in (lambda: tab.click("#reset"), lambda: tab.key("r")):
        tab.click("#step")
        tab.until("s.panes[0].step > 0", "a step is not done")
        act()
        tab.until("s.panes[0].step === 0 && s.panes[0].t === 0 && s.panes[0].frames", "the run is not reset")
    tab.set_speed(1)


def speed_changes(tab):
    """Faster by the button and by the key, slower by both; 2 s/s at the end."""
    for act, speed in [
        (lambda: tab.click("#faster"), 2),
        (lambda: tab.key("]"), 5),
        (lambda: tab.key("["), 2),
        (lambda: tab.click("#slower"), 1),
        (lambda: tab.key("]"), 2),
    ]:
        act()
        tab.until(f"s.speed === {speed}", "the speed does not change")
    expect(tab.page.locator("#speed").inner_text() == "2 s/s", "the speed is not shown")


def rewinds(tab):
    """Back by the slider, the button and the key: to a moment that was kept."""
    now = tab.state()["panes"][0]["t"]
    wanted = now - 0.2
    tab.slide("#scrub", wanted)
    state = tab.until(f"!s.running && s.panes[0].t < {now}", "the slider does not rewind")
    expect(0 < state["panes"][0]["t"] <= wanted, f"{state['panes'][0]['t']} s is not the last moment before {wanted} s")
    tab.click("#back")
    earlier = max(state["panes"][0]["t"] - 1, 0)
    tab.until(f"s.panes[0].t <= {earlier}", "the button does not rewind")
    tab.key(".")
    tab.until("s.panes[0].step > 0", "a run that was rewound does no step")
    before = tab.state()["panes"][0]["t"]
    tab.key("b")
    tab.until(f"s.panes[0].t < {before}", "the key does not rewind")


def widths_fit(run):
    """No part of the page is wider than a phone or a large screen."""
    tab, before = run.tab, run.tab.page.viewport_size
    tab.open(*[{"scene": "square", "method": method, "spacing": 0.1} for method in METHODS])
    tab.page.locator("#plots").evaluate("(plots) => { plots.open = true; }")
    for width in (400, 1600):
        tab.page.set_viewport_size({"width": width, "height": 900})
        for name in ("view", "parameters", "step", "particle", "keep", "log"):
            tab.click(f"#tab-{name}")
            size = tab.page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
            expect(size[0] <= size[1], f"{name} is {size[0]} pixels wide on a screen of {size[1]}")
            expect(tab.page.locator(f"#panel-{name}").is_visible(), f"the panel {name} does not show")
    tab.page.set_viewport_size(before)
    tab.page.locator("#plots").evaluate("(plots) => { plots.open = false; }")
    tab.click("#tab-view")


def dark_and_still_loads(run):
    """With dark colors and reduced motion the page comes back to its panes, and is dark."""
    tab = run.tab
    tab.open(COLUMN)
    scene = tab.state()["panes"][0]["scene"]
    light = background(tab)
    tab.page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    tab.load()
    state = tab.until("s.controller", "the page is not in control again")
    expect(state["panes"][0]["scene"] == scene, "other panes came back")
    for selector in ("#play", "#method-0", "#spacing-0", "#walk-one"):
        expect(tab.page.locator(selector).is_enabled(), f"{selector} cannot be used after a reload")
    expect(background(tab) < 60 < 200 < light, f"the page is as bright as {background(tab)}, {light} before")
    expect(tab.picture()["lit"] > 5000, "the picture is dark")
    tab.page.emulate_media(color_scheme="light", reduced_motion="no-preference")


def background(tab):
    """Brightness of the page, from 0 to 255."""
    color = tab.page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(int(part) for part in color.split("(")[1].rstrip(")").split(",")[:3]) / 3


def second_page_watches(run):
    """A second page shows the run, controls nothing and says so."""
    tab = run.tab
    tab.open(COLUMN)
    watcher = Tab(run.browser, run.server, run.page_folder)
    try:
        watcher.load()
        watcher.until("!s.controller", "a second page is in control")
        expect(watcher.page.locator("#role").inner_text() == "watching", "the second page does not say that it watches")
        tab.page.locator("#role", has_text="1 watching").wait_for()
        for selector in ("#play", "#step", "#reset", "#scene", "#scrub", "#back", "[name=tool][value=push]", "#method-0"):
            expect(watcher.page.locator(selector).is_disabled(), f"{selector} of the watcher can be used")
        watcher.click("#tab-parameters")
        free = watcher.page.locator("#panel-parameters :is(input, select, button):enabled").count()
        expect(free == 0, f"{free} parameters of the watcher can be changed")
        watcher.key(" ")
        watcher.page.evaluate("live.send({ do: 'play' })")
        watcher.until("s.errors.some((text) => text.includes('controls the runs'))", "a watcher's order is not refused")
        expect(not tab.state()["running"], "a watcher has started the run")
        before = watcher.picture()["hash"]
        tab.play("s.panes[0].t > 0.1")
        tab.pause()
        watcher.until("s.panes[0].t > 0.1", "the watcher's run stands still")
        expect(watcher.picture()["hash"] != before, "the watcher's picture stands still")
    finally:
        run.faults += watcher.faults
        watcher.close()

"""Checks of every control of the page: each is used once, and does something that can be seen."""

from .live import COLUMN, METHODS, POOL, expect

CUBE = {"scene": "cube", "spacing": 0.1}


def differs(tab, act, what, k=0):
    """Ends the check unless `act` changes the picture of pane `k`."""
    tab.page.evaluate("([k, hash]) => { live.hash = hash; live.k = k; }", [k, tab.picture(k)["hash"]])
    act()
    tab.until("live.picture(live.k).hash !== live.hash", f"{what} does not change the picture")


def view_panel_changes_the_picture(run):
    """Colors, sizes, layers and cameras."""
    tab = run.tab
    tab.open(*2 * [{"scene": "column", "text": COLUMN}])
    tab.key(".")
    tab.until("s.panes.every((pane) => pane.step === 1)", "no step is done")
    tab.click("#tab-view")
    color_map = tab.page.locator("#map")
    for name in ("viridis", "cividis", "sigmoid"):
        differs(tab, lambda name=name: color_map.select_option(name), f"the map {name}")
    tab.page.locator("#range-auto").uncheck()
    for bound, value in (("high", "0.02"), ("low", "0.01")):
        box = tab.page.locator(f"#range-{bound}")
        box.fill(value)
        box.press("Enter")
    tab.until("s.panes.every(({ range }) => range[0] === 0.01 && range[1] === 0.02)", "the range is not that of the boxes")
    tab.page.locator("#range-auto").check()
    tab.until("s.panes[0].range[1] !== 0.02", "the range is not automatic again")
    tab.page.locator("#field-all").uncheck()
    tab.page.locator("#field-0").select_option("density")
    tab.until("s.panes[0].field === 'density' && s.panes[1].field === 'speed'", "the field is not that of one pane")
    tab.page.locator("#field-all").check()
    tab.page.locator("#field-1").select_option("pressure")
    tab.until("s.panes.every(({ field }) => field === 'pressure')", "the field is not that of all panes")
    differs(tab, lambda: tab.slide("#size", 0.2), "the radius")
    tab.slide("#size", 0.5)
    for layer in ("walls", "grid", "vectors"):
        differs(tab, lambda layer=layer: tab.click(f"#layer-{layer}"), f"the layer of {layer}")
        tab.click(f"#layer-{layer}")
    cameras(tab)
    spheres(tab)


def cameras(tab):
    """One for all panes, or each its own; back to the whole scene."""
    whole = tab.picture(1)["hash"]
    tab.page.locator("#camera-all").uncheck()
    differs(tab, lambda: tab.drag([0.5, 0.5], [0.8, 0.6], seconds=0.1), "a drag")
    expect(tab.picture(1)["hash"] == whole, "the camera of another pane was moved, too")
    differs(tab, lambda: tab.click("#camera-reset"), "the whole scene")
    tab.page.locator("#camera-all").check()
    differs(tab, lambda: tab.drag([0.5, 0.5], [0.8, 0.6], seconds=0.1), "a drag in the other pane", k=1)
    tab.page.mouse.move(*tab.place([0.5, 0.5]))
    differs(tab, lambda: tab.page.mouse.wheel(0, 200), "the wheel", k=1)
    tab.click("#camera-reset")
    tab.page.locator("#canvas-0").focus()
    for key in ("ArrowLeft", "ArrowUp", "+", "-", "0"):
        differs(tab, lambda key=key: tab.page.keyboard.press(key), f"the key {key}")


def spheres(tab):
    """The exact depth of spheres, and the support of a picked particle, in 3D."""
    tab.open(CUBE)
    tab.key(".")
    tab.until("s.panes[0].step === 1", "no step is done")
    tab.slide("#size", 1.5)
    differs(tab, lambda: tab.click("#exact-depth"), "the exact depth")
    tab.click("#exact-depth")
    tab.slide("#size", 0.5)
    tab.choose("tool", "pick")
    differs(tab, lambda: tab.click_at([0.5, 0.4, 0.5]), "a pick")
    differs(tab, lambda: tab.click("#layer-support"), "the layer of the support")
    tab.click("#layer-support")
    tab.choose("tool", "look")


def choosers_open_other_panes(run):
    """Scene, number of panes, and method, preset and spacing of a pane."""
    tab = run.tab
    tab.open(CUBE, CUBE)
    tab.anew("document.querySelector('[name=pane-count][value=\"1\"]').click()")
    expect(len(tab.state()["panes"]) == 1, "there is more than one pane")
    for selector, value, seen in [
        ("#scene", "square", "s.panes[0].scene === 'square'"),
        ("#method-0", "pbf", "s.panes[0].method === 'pbf'"),
        ("#method-0", "", "s.panes[0].method === 'wcsph'"),
        ("#preset-0", "graphics", "s.choices[0].preset === 'graphics'"),
    ]:
        tab.page.evaluate("() => { live.before = live.store.panes; }")
        tab.page.locator(selector).select_option(value)
        tab.until(f"live.store.panes !== live.before && {seen} && s.panes[0].frames", f"{selector} does not choose {value}")
    box = tab.page.locator("#spacing-0")
    box.fill("0.1")
    box.press("Enter")
    tab.until("s.panes[0].n === 64", "the spacing does not change")


def tools_have_options(run):
    """Sizes and strengths of tools; emitters and drains open and close."""
    tab = run.tab
    tab.open(COLUMN)
    for tool, options in {
        "push": ["push-radius", "push-rate"],
        "add": ["add-size"],
        "emitter": ["emitter-radius", "emitter-speed", "emitter-angle"],
        "drain": ["drain-radius"],
    }.items():
        tab.choose("tool", tool)
        for option in options:
            before = tab.page.evaluate("JSON.stringify(live.store.tool)")
            tab.page.locator(f"#{option}").focus()
            tab.page.keyboard.press("ArrowRight")
            expect(tab.page.evaluate("JSON.stringify(live.store.tool)") != before, f"{option} changes nothing")
    tab.choose("tool", "emitter")
    tab.play("s.panes[0].t > 0.01")
    n = tab.state()["panes"][0]["n"]
    tab.click_at([1.2, 1.2])
    tab.until(f"s.panes[0].n > {n}", "the emitter adds nothing")
    tab.click("[data-close]")
    tab.page.locator("[data-close]").wait_for(state="detached")
    tab.choose("tool", "drain")
    n = tab.state()["panes"][0]["n"]
    tab.click_at([0.3, 0.1])
    tab.until(f"s.panes[0].n < {n}", "the drain takes nothing")
    tab.click("[data-close]")
    tab.pause()
    tab.choose("tool", "look")


def gravity_has_sliders(run):
    """In 2D its direction and strength, in 3D its tilts; zero, and back to that of the scene."""
    tab = run.tab
    sliders = ["gravity-first", "gravity-size"]
    for scene, ids in ((COLUMN, sliders), (CUBE, [*sliders, "gravity-second"])):
        tab.open(scene)
        tab.click("#tab-parameters")
        for name in [*ids, "gravity-zero", "gravity-reset"]:
            before = run.tab.save("script").count("gravity")
            if name in ids:
                tab.page.locator(f"#{name}").focus()
                tab.page.keyboard.press("ArrowRight")
            else:
                tab.click(f"#{name}")
            tab.page.wait_for_timeout(100)
            expect(run.tab.save("script").count("gravity") == before + 1, f"{name} does not change gravity")


def parameters_of_all_methods_change(run):
    """Every parameter that may change in a run is set, or refused in words."""
    tab = run.tab
    for method in METHODS:
        # What is automatic has no slider: the speed of sound gets one.
        tab.open({"scene": "pool", "text": f"{POOL}sound_speed = 20.0\n", "method": method})
        tab.click("#tab-parameters")
        ids = tab.page.eval_on_selector_all("#parameters :is(input, select)", "(all) => all.map(({ id }) => id)")
        expect(len(ids) > 5, f"{method} has {ids}")
        for name in ids:
            before = [run.tab.save("script"), len(tab.state()["said"])]
            use(tab, name)
            tab.page.wait_for_timeout(150)
            after = [run.tab.save("script"), len(tab.state()["said"])]
            expect(after != before, f"{method}: {name} changes nothing")
    tab.click("#tab-view")


def use(tab, name):
    """Changes a control of a parameter."""
    control = tab.page.locator(f"#{name}")
    kind = control.evaluate("(node) => node.type")
    if kind == "checkbox":
        control.click()
    elif kind == "range":
        control.focus()
        tab.page.keyboard.press("ArrowRight" if float(control.input_value()) < 0.5 else "ArrowLeft")
    elif kind == "select-one":
        control.select_option(index=1 if control.evaluate("(node) => node.selectedIndex") == 0 else 0)
    else:
        control.fill("0.0001" if name == "time-step" else "2" if control.input_value() == "1" else "1")
        control.press("Enter")


def walls_move(run):
    """A wall with a name moves as it is told, and stops."""
    tab = run.tab
    tab.open(COLUMN)
    tab.click("#tab-parameters")
    tab.page.locator("#derived-box summary").click()
    expect("sound" in tab.page.locator("#derived").inner_text(), "the limits of the step are not shown")
    tab.page.locator("#walls-box summary").click()
    tab.page.locator("#wall").select_option("tank")
    motion = tab.page.locator("#motion")
    motion.fill("no JSON")
    tab.click("#wall-move")
    tab.until("s.errors.at(-1)?.includes('no JSON')", "a motion that cannot be read is not refused")
    motion.fill('{"oscillation": {"amplitude": [0.1, 0], "frequency": 2}}')
    tab.click("#wall-move")
    tab.page.evaluate("() => { live.walls = live.store.panes[0].walls.positions.join(); }")
    tab.play("s.panes[0].t > 0.1 && live.store.panes[0].walls.positions.join() !== live.walls", "the wall does not move")
    tab.pause()
    tab.click("#wall-stop")
    tab.page.wait_for_timeout(100)
    script = run.tab.save("script")
    expect("move_wall" in script and "stop_wall" in script, "the script does not move and stop the wall")
    tab.click("#tab-view")


def walk_has_buttons(run):
    """One pane walks through its phases, and shows what they did to a picked particle."""
    tab = run.tab
    tab.open({"scene": "column", "text": COLUMN, "method": "pbf"})
    tab.click("#tab-step")
    tab.click("#walk-one")
    tab.until("s.walk.active && s.walk.index === 1", "no step is recorded")
    tab.click("#walk-next")
    tab.until("s.walk.index === 2", "the walk does not go on")
    tab.click("#walk-before")
    tab.until("s.walk.index === 1", "the walk does not go back")
    tab.click_at([0.275, 0.375])
    tab.page.locator("#walk-picked table").wait_for()
    line = tab.page.locator("#listing .call").last
    line.click()
    tab.until("s.walk.index > 1", "a click on a line does not go to its phase")
    tab.click("#walk-leave")
    tab.until("!s.walk.active", "the walk does not end")
    tab.key("p")
    tab.until("s.walk.active", "the key does not step by phases")
    tab.key("Escape")
    tab.click("#tab-view")


def run_is_kept(run):
    """Picture, video, checkpoint, and a link that opens the same panes."""
    tab = run.tab
    tab.open(COLUMN)
    tab.play("s.panes[0].t > 0.05")
    tab.click("#tab-keep")
    picture = tab.download("#save-png", run.folder / "picture.png")
    expect(picture.read_bytes()[:4] == b"\x89PNG" and picture.stat().st_size > 5000, "the picture is no PNG")
    tab.click("#record")
    tab.page.wait_for_timeout(1500)
    video = tab.download("#record", run.folder / "video.webm")
    expect(video.read_bytes()[:4] == b"\x1a\x45\xdf\xa3" and video.stat().st_size > 5000, "the video is no WebM")
    tab.pause()
    checkpoint = tab.download("#save-checkpoint", run.folder / "now.sph")
    expect(checkpoint.stat().st_size > 5000, "the checkpoint is empty")
    tab.click("#copy-link")
    tab.click("#link-text")
    link = tab.page.locator("#link-text").input_value()
    expect(link == tab.page.url and "#" in link, f"{link} is no link to the panes")
    tab.click("#tab-view")


def dialogs_open_and_close(run):
    """Help, the editor, the log, the plots and the buttons of a failure."""
    tab = run.tab
    tab.click("#help")
    tab.click("#help-close")
    tab.key("?")
    tab.page.locator("#help-dialog").wait_for()
    tab.page.keyboard.press("Escape")
    tab.click("#edit-scene")
    tab.click("#editor-close")
    expect(tab.page.locator("dialog[open]").count() == 0, "a dialog stays open")
    tab.open(f"{COLUMN}sound_speed = 0.5\n", COLUMN)
    tab.page.locator("#plots summary").click()
    tab.play("s.panes[0].failed && s.panes[1].t > s.panes[0].t + 0.1", "the other pane does not go on")
    tab.page.wait_for_timeout(500)
    differs_plot(tab, "#plot-pane-0")
    tab.pause()
    failure = tab.page.locator("#pane-0 .failure")
    failure.locator("[data-do=hide]").click()
    expect(failure.locator("pre").is_hidden(), "the diagnosis hides the picture")
    tab.anew("document.querySelector('#pane-0 [data-do=reset]').click()")
    expect(not tab.state()["panes"][0]["failed"], "the diagnosis stays after a reset")
    tab.page.locator("#plots summary").click()
    tab.click("#tab-log")
    expect("The run stopped" in tab.page.locator("#log").inner_text(), "the log has no failure")
    tab.click("#log-clear")
    expect(tab.page.locator("#log li").count() == 0, "the log is not empty")
    tab.click("#tab-view")


def differs_plot(tab, selector):
    """Ends the check unless a button of the legend hides the lines of a pane."""
    note = tab.page.locator("#plot-max-speed .note")
    expect("1:" in note.inner_text(), f"pane 1 is not plotted: {note.inner_text()}")
    tab.click(selector)
    expect("1:" not in note.inner_text(), "the lines of a pane are not hidden")
    tab.click(selector)


def no_control_is_forgotten(run):
    """All controls that the page ever had were used by one of the checks."""
    forgotten = sorted(run.tab.seen - run.tab.touched)
    expect(not forgotten, f"never used: {', '.join(forgotten)}")
    expect(len(run.tab.seen) > 80, f"only {len(run.tab.seen)} controls were seen")


ALL = [
    view_panel_changes_the_picture,
    choosers_open_other_panes,
    tools_have_options,
    gravity_has_sliders,
    parameters_of_all_methods_change,
    walls_move,
    walk_has_buttons,
    run_is_kept,
    dialogs_open_and_close,
    no_control_is_forgotten,
]

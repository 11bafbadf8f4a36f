"""Checks of what a hand does to a run: tools, gravity, parameters, cameras."""

import math

from .live import COLUMN, POOL, expect

CUBE = {"scene": "cube", "spacing": 0.08}
BOX = """title = "Box in the air"
dim = 3
spacing = 0.1
run.end_time = 100.0

[[fluid]]
shape.block = { min = [0.0, 0.0, 0.0], max = [0.3, 0.3, 0.5] }

[[wall]]
name = "tank"
shape.block = { min = [0.0, 0.0, 0.0], max = [1.5, 1.5, 0.5] }
layers = 3

[[body]]
name = "box"
shape.block = { min = [0.55, 1.0, 0.05], max = [0.95, 1.4, 0.45] }
density = 500.0

[solver]
name = "wcsph"
"""
"""A body with air behind it."""


def push_moves_the_fluid(run):
    """Of two equal runs the one that is pushed becomes faster, and its script says why."""
    tab = run.tab
    tab.open(POOL, POOL)
    expect(len({pane["method"] for pane in tab.state()["panes"]}) == 1, "the panes differ")
    tab.choose("tool", "push")
    tab.page.locator("#tool-all").set_checked(False)
    tab.play("s.panes.every((pane) => pane.t > 0.05)")
    tab.page.evaluate("""() => {
      live.fastest = [0, 0];
      live.on('frame', (k) => {
        live.fastest[k] = Math.max(live.fastest[k], live.store.panes[k].frame.stats.max_speed);
      });
    }""")
    tab.drag([0.5, 0.25], [1.4, 0.3])
    tab.until("live.fastest[0] > 0.5", "the push does not move the fluid")
    tab.pause()
    pushed, still = tab.page.evaluate("live.fastest")
    expect(pushed > 2 * still, f"{pushed} m/s with a push, {still} m/s without")
    expect("push" in run.tab.save("script", 0), "the script has no push")
    expect("push" not in run.tab.save("script", 1), "the push was done in the other pane, too")
    tab.page.locator("#tool-all").set_checked(True)
    tab.choose("tool", "look")


def block_is_added_or_refused(run):
    """A block in free space adds particles; one in the fluid is refused in words, and the run goes on."""
    tab = run.tab
    tab.open(COLUMN)
    tab.choose("tool", "add")
    tab.play("s.panes[0].t > 0.02")
    n = tab.state()["panes"][0]["n"]
    tab.click_at([1.4, 1.1])
    more = tab.until(f"s.panes[0].n > {n}", "no block is added")["panes"][0]["n"]
    tab.click_at([0.25, 0.15])
    toast = tab.page.locator("#toasts .toast.error")
    toast.last.wait_for()
    t = tab.state()["panes"][0]["t"]
    state = tab.until(f"s.running && s.panes[0].t > {t} + 0.02", "the run does not go on after a refusal")
    expect(state["panes"][0]["n"] == more, "a block that overlaps was added")
    expect(toast.last.inner_text() == state["errors"][-1], "the message is not that of the refusal")
    tab.pause()
    tab.key("Escape")
    tab.until("s.tool === 'look'", "Escape does not leave the tool")


def pick_shows_a_particle(run):
    """A click on a particle shows its numbers and its neighbors, which follow the run."""
    tab = run.tab
    tab.open(COLUMN)
    # Before the first step there are no lists of neighbors.
    tab.key(".")
    tab.until("s.panes[0].step === 1", "no step is done")
    plain = tab.picture()["hash"]
    tab.choose("tool", "pick")
    tab.click("#tab-particle")
    tab.click_at([0.275, 0.375])
    x = tab.until("s.panes[0].particle", "nothing is picked")["panes"][0]["particle"]["x"]
    expect(math.dist(x, [0.275, 0.375]) < 0.05, f"the particle at {x} was picked")
    row = tab.page.locator("#particle-table tr", has_text="neighbors listed")
    neighbors = int(row.inner_text().split("\t")[-1].split()[0])
    expect(neighbors > 5, f"{neighbors} neighbors")
    expect(tab.picture()["hash"] != plain, "the picture does not show the particle")
    tab.play(f"s.panes[0].particle.x[1] !== {x[1]}", "the numbers of the particle stand still")
    tab.pause()
    tab.click("#inspect-none")
    tab.until("!s.panes[0].particle", "the particle is not released")
    tab.choose("tool", "look")
    tab.click("#tab-view")


def gravity_turns(run):
    """The dial turns gravity to the right, and the fluid goes there."""
    tab = run.tab
    tab.open(COLUMN)
    tab.click("#tab-parameters")
    dial = tab.page.locator("#gravity-dial").bounding_box()
    tab.page.mouse.click(dial["x"] + 0.95 * dial["width"], dial["y"] + 0.5 * dial["height"])
    tab.play("s.panes[0].t > 0.1")
    tab.pause()
    momentum = tab.stats()["momentum"][0]
    falling = 480 * 9.81 * tab.state()["panes"][0]["t"]
    expect(0.5 * falling < momentum < 1.1 * falling, f"a momentum of {momentum} kg m/s, not of {falling}")
    expect('key = "gravity"' in run.tab.save("script"), "the script has no gravity")
    tab.click("#tab-view")


def parameter_changes_or_is_refused(run):
    """A slider sets a parameter; a number out of its range is refused in words, and the old one comes back."""
    tab, key = run.tab, "artificial_viscosity_alpha"
    tab.open(COLUMN)
    tab.click("#tab-parameters")
    box = tab.page.locator(f"#parameter-{key}")
    first = box.input_value()
    tab.page.locator(f"#parameter-{key}-slider").focus()
    for _ in range(5):
        tab.page.keyboard.press("ArrowRight")
    tab.page.wait_for_timeout(300)
    old = box.input_value()
    expect(float(old) > float(first or 0), f"the slider leaves {first} at {old}")
    set_to = run.tab.save("script").split(f'key = "solver.{key}"')[-1].split("value = ")[1].split()[0]
    expect(math.isclose(float(set_to), float(old)), f"the run has {set_to}, the page shows {old}")
    box.fill("-1")
    box.press("Enter")
    tab.page.locator("#toasts[aria-live=polite] .toast.error", has_text=key).wait_for()
    tab.until(f"document.getElementById('parameter-{key}').value === '{old}'", "the old value does not come back")
    expect("-1" not in run.tab.save("script"), "a value that was refused is in the script")
    tab.click("#tab-view")


def body_in_space_is_pushed(run):
    """In 3D a push begins on a body, behind which there is no fluid, and takes it along."""
    tab = run.tab
    tab.open(BOX)
    tab.choose("tool", "push")
    tab.set_speed(0.2)
    tab.play("s.panes[0].t > 0.01")
    tab.drag([0.75, 1.2, 0.25], [1.1, 1.2, 0.25])
    tab.pause()
    tab.set_speed(1)
    script = run.tab.save("script")
    expect("position = [" in script, "no push was sent")
    start = [float(v) for v in script.split("position = [")[1].split("]")[0].split(",")]
    expect(max(abs(v - m) for v, m in zip(start, [0.75, 1.2, 0.25])) < 0.3, f"the push begins at {start}, not on the box")
    tab.choose("tool", "look")


INNER = """() => {
  const [view] = live.views();
  const { fluid } = view.renderer;
  const some = live.picture(0).hash;
  const { visible } = fluid;
  fluid.visible = null;
  const all = live.picture(0).hash;
  fluid.visible = visible;
  return { n: fluid.n, drawn: visible?.indices.length, same: some === all };
}"""
"""The picture with the spheres that can be seen, and with all."""


def inner_spheres_are_left_out_unseen(run):
    """Where the processor draws, spheres deep inside of the fluid are left out, and the picture is the same to the pixel."""
    tab = run.tab
    block = "shape.block = {{ min = [0.0, 0.0, 0.0], max = [1.0, {}, 1.0] }}"
    text = POOL.replace("spacing", "dim = 3\nspacing")
    text = text.replace("shape.block = { min = [0.0, 0.0], max = [2.0, 0.5] }", block.format("0.8"))
    text = text.replace("shape.block = { min = [0.0, 0.0], max = [2.0, 1.5] }", block.format("1.5"))
    tab.open({"scene": "deep", "text": text})
    found = tab.page.evaluate(INNER)
    expect(found["drawn"] and found["drawn"] < 0.9 * found["n"], f"{found['drawn']} of {found['n']} spheres are drawn")
    expect(found["same"], "the picture lacks spheres that can be seen")


def space_is_lit_turned_and_pushed(run):
    """In 3D spheres have light and shadow, a drag turns the camera, and a push reaches the fluid."""
    tab = run.tab
    tab.open(CUBE)
    tab.click("#layer-walls")
    before = tab.picture()
    expect(before["lit"] > 3000, f"{before['lit']} lit pixels")
    # All have one speed, thus one color of the map: more than a few tones are light and shadow.
    expect(before["colors"] > 60, f"{before['colors']} tones are no lit spheres")
    tab.click("#layer-walls")
    before = tab.picture()
    tab.drag([0.1, 0.5, 0.5], [0.6, 0.6, 0.5], seconds=0.15)
    turned = tab.picture()
    expect(turned["hash"] != before["hash"], "the drag does not turn the camera")
    tab.choose("tool", "push")
    tab.set_speed(0.2)
    tab.play("s.panes[0].t > 0.01")
    tab.drag([0.5, 0.35, 0.5], [0.7, 0.35, 0.5])
    tab.pause()
    tab.set_speed(1)
    script = run.tab.save("script")
    expect("push" in script and script.split("position = [")[1].split("]")[0].count(",") == 2, "no push in 3D was sent")
    tab.choose("tool", "look")

"""Checks of what is read and written: phases of a step, the editor, downloads, failures."""

import math
import subprocess
import zipfile

from .live import COLUMN, METHODS, PATIENCE, expect

WALK = """() => {
  const { store } = live;
  const pane = store.panes[store.active];
  const names = store.hello.methods.find(({ name }) => name === pane.info.method).listing.phases.map(({ name }) => name);
  const seen = [];
  for (;;) {
    const name = pane.phases[Math.min(store.walk.index, pane.phases.length - 1)].phase;
    const lines = [...document.querySelectorAll('#listing .line.now code')].map((line) => line.textContent);
    seen.push({ name, lines, title: document.getElementById('walk-title').textContent });
    const next = document.getElementById('walk-next');
    if (next.disabled) return { names, seen, kept: pane.phases.map(({ phase }) => phase) };
    next.click();
  }
}"""
"""Goes on to the end of the walk, and notes what the page shows at each phase of the active pane."""


def step_is_walked_by_phases(run):
    """All methods: a step shows each of its phases, and the line of the listing that calls it."""
    tab = run.tab
    tab.open(*[{"scene": "column", "text": COLUMN, "method": method} for method in METHODS])
    tab.key(".")
    tab.until("s.panes.every((pane) => pane.step === 1)", "no step is done")
    tab.click("#tab-step")
    tab.click("#walk-all")
    tab.until("s.walk.active && s.panes.every((pane) => pane.phases.length)", "no step is recorded")
    for k, method in enumerate(METHODS):
        tab.page.locator("#active-pane").select_option(str(k))
        tab.slide("#walk-slider", 0)
        walked = tab.page.evaluate(WALK)
        shown = [phase for phase in walked["seen"] if phase["name"]]
        names = [phase["name"] for phase in shown]
        kept = [name for name in walked["kept"] if name]
        expect(names[: len(kept)] == kept, f"{method}: {names} were shown of {kept}")
        missing = set(walked["names"]) - set(names)
        expect(not missing, f"{method}: the step has no {missing}")
        for phase in shown:
            call = f"p.{phase['name']}("
            expect(phase["lines"], f"{method}: no line is marked for {phase['name']}")
            expect(all(call in line for line in phase["lines"]), f"{method}: {phase['lines']} do not call {call}")
            expect(phase["name"].replace("_", " ") in phase["title"], f"{method}: {phase['title']} is shown")
    terms_follow_from_fields(tab)
    walk_by_keys(tab)
    tab.click("#tab-view")


def terms_follow_from_fields(tab):
    """The table of a picked particle has the terms of the formula at the marked line: of Position Based Fluids C and Σ|∇C|²."""
    k = METHODS.index("pbf")
    tab.page.locator("#active-pane").select_option(str(k))
    at = tab.page.evaluate(f"live.store.panes[{k}].phases.findIndex(({{ phase }}) => phase === 'compute_lambda')")
    tab.slide("#walk-slider", at)
    tab.click_at([0.275, 0.375], k)
    rows = tab.page.locator("#walk-picked tbody tr").all_inner_texts()
    after = {name: text for name, _, text in (row.split("\t") for row in rows)}
    numbers = {name: plain(text) for name, text in after.items() if not text.startswith("(")}
    c, total = numbers["C = ρ/ρ₀ − 1"], numbers["Σ|∇C|² + ε = −C/λ"]
    expect(abs(c - (numbers["density"] / 1000 - 1)) < 2e-4, f"C is {c} at {numbers['density']} kg/m³")
    # Of a lattice the sum is of the order of 1/Δx², and the spacing is 0.05 m.
    expect(100 < total < 1e5, f"the sum of squared gradients is {total}")
    expect(abs(c + numbers["lambda"] * total) < 0.02 * abs(c), f"λ = {numbers['lambda']} is not −C over the sum")


def plain(text):
    """A number as the page writes it, without its unit."""
    digits = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")
    value = text.replace(" × 10", "e").split(" ")[0].translate(digits)
    return float(value) if value != "–" else math.nan


def walk_by_keys(tab):
    """The arrows go through the phases, Escape leaves them, and what a phase changed can be colored."""
    tab.slide("#walk-slider", 1)
    tab.key("ArrowRight")
    tab.until("s.walk.index === 2", "the right arrow goes nowhere")
    tab.key("ArrowLeft")
    tab.until("s.walk.index === 1", "the left arrow goes nowhere")
    plain = tab.picture(3)["hash"]
    tab.page.locator("#walk-color").select_option("moved")
    expect(tab.picture(3)["hash"] != plain, "the colors of a phase do not change")
    tab.key("Escape")
    tab.until("!s.walk.active", "Escape does not leave the phases")


def editor_marks_and_opens(run):
    """A mistake in a scene marks its line; the scene opens when it is mended."""
    tab = run.tab
    tab.open(COLUMN)
    tab.click("#edit-scene")
    text = tab.page.locator("#editor-text")
    expect(text.input_value() == COLUMN, "the editor has another text")
    text.fill(COLUMN.replace("spacing = 0.05", "spacing = -0.05"))
    tab.click("#editor-open")
    marked = tab.page.locator("#editor-lines .wrong")
    marked.first.wait_for()
    expect(marked.all_inner_texts() == ["2\n"], f"{marked.all_inner_texts()} are marked, not the line of the spacing")
    expect("spacing" in tab.page.locator("#editor-said").inner_text(), "the mistake is not told")
    text.fill(COLUMN.replace("spacing = 0.05", "spacing = 0.1"))
    tab.page.locator("#editor-name").fill("mended")
    tab.anew("document.getElementById('editor-open').click()")
    tab.page.locator("#editor").wait_for(state="hidden")
    pane = tab.state()["panes"][0]
    expect(pane["scene"] == "mended" and pane["n"] == 48, f"{pane['n']} particles of {pane['scene']} are open")


def kept_run_is_repeated(run):
    """Scene and script that the page gives run with `sph run`."""
    tab = run.tab
    tab.open(COLUMN)
    tab.click("#tab-parameters")
    tab.click("#gravity-zero")
    for _ in range(5):
        tab.key(".")
    steps = tab.until("s.panes[0].step === 5", "the steps are not done")["panes"][0]["step"]
    tab.click("#tab-keep")
    scene = tab.download("#save-scene", run.folder / "scene.toml")
    script = tab.download("#save-script", run.folder / "script.toml")
    expect("gravity" in script.read_text(encoding="utf-8"), "the script has no gravity")
    command = [run.server.sph, "run", scene, "--script", script, "--out", run.folder / "out"]
    command += ["--set", f"run.max_steps={steps}", "--set", "run.end_time=100"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    expect(done.returncode == 0, f"sph run ends with {done.returncode}: {done.stderr[-300:]}")
    tab.click("#tab-view")


def frames_are_recorded(run):
    """Each step that is shown is a picture in an archive, and has its time in a table."""
    tab = run.tab
    tab.open(COLUMN)
    tab.click("#tab-keep")
    tab.click("#record-frames")
    for step in range(1, 5):
        tab.key(".")
        tab.page.wait_for_function(f"() => document.getElementById('frames-count').textContent === '{step + 1} frames'")
    archive = zipfile.ZipFile(tab.download("#record-frames", run.folder / "frames.zip"))
    expect(archive.testzip() is None, "the archive is damaged")
    table = [line.split(",") for line in archive.read("frames.csv").decode().splitlines()[1:]]
    expect([int(step) for _, step, _ in table] == list(range(5)), f"the steps are {table}")
    expect(all(float(a[2]) < float(b[2]) for a, b in zip(table, table[1:])), f"the times are {table}")
    pictures = [archive.read(name) for name, *_ in table]
    expect(all(picture[:4] == b"\x89PNG" for picture in pictures) and len(set(pictures)) == 5, "the pictures are not of five steps")
    tab.click("#tab-view")


def failure_is_explained_and_rewound(run):
    """A run that fails shows its diagnosis over its picture, and goes back from there."""
    tab = run.tab
    tab.open(f"{COLUMN}sound_speed = 0.5\n")
    tab.play("s.panes[0].failed", "a run without pressure does not fail")
    failure = tab.page.locator("#pane-0 .failure")
    expect("likely cause" in failure.inner_text(), f"no cause is told: {failure.inner_text()}")
    t = tab.state()["panes"][0]["t"]
    failure.locator("[data-do=rewind]").click()
    state = tab.until(f"!s.panes[0].failed && s.panes[0].t < {t}", "the run does not go back")
    expect(failure.is_hidden(), "the diagnosis stays")
    step = state["panes"][0]["step"]
    tab.key(".")
    tab.until(f"s.panes[0].step === {step + 1}", "a run that was rewound does no step")

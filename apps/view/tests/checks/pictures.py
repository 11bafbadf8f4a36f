"""Pictures and a video of the page for the book."""

from .live import METHODS, expect

MOST_VIDEO = 1_500_000
"""Largest video, bytes."""


def pictures_are_written(run):
    """Panes side by side, a step by its phases, a run in 3D, and a video by the recorder of the page."""
    folder = run.options.record
    folder.mkdir(parents=True, exist_ok=True)
    run.tab.load()
    panes(run.tab, folder / "live-panes.png")
    phases(run.tab, folder / "live-phases.png")
    space(run.tab, folder / "live-3d.png")
    video(run.tab, folder / "live.webm")


def choices(scene):
    """The scene in all methods."""
    return [{"scene": scene, "method": None if method == "wcsph" else method} for method in METHODS]


def picture(tab, path):
    """Writes what the page shows, without messages and the focus."""
    tab.page.evaluate("document.activeElement?.blur()")
    tab.page.mouse.move(5, 5)
    tab.page.wait_for_timeout(700)
    tab.page.screenshot(path=path)


def panes(tab, path):
    """Four methods of the dam break at 0.6 s, with plots."""
    # Smaller, so that panes and plots have room on one picture.
    tab.page.evaluate("document.body.style.zoom = 0.75")
    tab.open(*choices("dam_break_2d"))
    tab.page.locator("#plots").evaluate("(plots) => { plots.open = true; }")
    tab.play("s.panes.every((pane) => pane.t > 0.6)", patience=60)
    tab.pause()
    picture(tab, path)
    tab.page.locator("#plots").evaluate("(plots) => { plots.open = false; }")
    tab.page.evaluate("document.body.style.zoom = 1")


def phases(tab, path):
    """The step of PBF at a phase of its loop, and what the phase changed."""
    tab.open({"scene": "dam_break_2d", "method": "pbf", "spacing": 0.04})
    tab.play("s.panes[0].t > 0.4")
    tab.pause()
    tab.click("#tab-step")
    tab.click("#walk-one")
    tab.until("s.walk.active", "no step is recorded")
    names = tab.state()["panes"][0]["phases"]
    tab.slide("#walk-slider", names.index("apply_delta_x"))
    tab.page.locator("#walk-color").select_option("moved")
    tab.click_at([0.5, 0.3])
    picture(tab, path)
    tab.key("Escape")
    tab.click("#tab-view")


def space(tab, path):
    """The dam break in 3D, in lit spheres."""
    tab.open({"scene": "dam_break_3d", "method": None})
    tab.play("s.panes[0].t > 0.6", patience=120)
    tab.pause()
    picture(tab, path)


def video(tab, path):
    """Six seconds of the dam break in 2D."""
    # A smaller window makes a smaller video.
    tab.page.set_viewport_size({"width": 940, "height": 640})
    tab.open({"scene": "dam_break_2d", "method": "pbf", "spacing": 0.03})
    tab.key("[")
    tab.click("#tab-keep")
    tab.click("#record")
    tab.click("#play")
    tab.page.wait_for_timeout(6000)
    tab.download("#record", path)
    size = path.stat().st_size
    expect(size < MOST_VIDEO, f"a video of {size} bytes")

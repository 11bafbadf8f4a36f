"""The server, a page of it in a browser, and what the checks share."""

import base64
import functools
import http.server
import itertools
import json
import pathlib
import select
import subprocess
import threading
import time
import urllib.request

from playwright.sync_api import Error as BrowserError

ROOT = pathlib.Path(__file__).resolve().parents[4]
METHODS = ["wcsph", "pbf", "viscoelastic", "projection"]
PATIENCE = 10.0
"""Longest wait for anything that should come at once, s."""

COLUMN = """title = "Column"
spacing = 0.05
run.end_time = 100.0

[[fluid]]
shape.block = { min = [0.0, 0.0], max = [0.6, 0.8] }

[[wall]]
name = "tank"
shape.block = { min = [0.0, 0.0], max = [2.0, 1.5] }
layers = 3

[solver]
name = "wcsph"
"""
"""A column of 192 particles that collapses: small, so that the checks are quick."""

POOL = COLUMN.replace("max = [0.6, 0.8]", "max = [2.0, 0.5]").replace("Column", "Pool")
"""Water at rest."""

HELPERS = """async () => {
  const modules = ['store', 'panes', 'link'].map((name) => import(new URL(`page/${name}.js`, location.href).href));
  const [{ store, on }, { views }, { send, download }] = await Promise.all(modules);
  const pixels = (k) => {
    const lit = sphView.litPixels(k);
    const { gl, canvas } = views()[k].renderer;
    const bytes = new Uint8Array(4 * canvas.width * canvas.height);
    gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    return { lit, colors: new Uint32Array(bytes.buffer) };
  };
  const picture = (k) => {
    const { lit, colors } = pixels(k);
    let hash = 0;
    for (const color of colors) hash = (Math.imul(hash, 31) + color) | 0;
    return { lit, hash, colors: new Set(colors).size };
  };
  const place = (k, x) => {
    const { canvas, camera } = views()[k];
    canvas.scrollIntoView({ block: 'nearest' });
    const box = canvas.getBoundingClientRect();
    const { view, projection } = camera.matrices(box.width / box.height);
    const times = (m, v) => [0, 1, 2, 3].map((i) => v.reduce((sum, c, j) => sum + m[4 * j + i] * c, 0));
    const clip = times(projection, times(view, [x[0], x[1], x[2] ?? 0, 1]));
    return [box.left + (0.5 + clip[0] / clip[3] / 2) * box.width, box.top + (0.5 - clip[1] / clip[3] / 2) * box.height];
  };
  window.live = { store, on, views, picture, place, send, download };
}"""
"""What the checks need inside of a page: its own modules, pictures as numbers, and where a point of a run is on the screen."""


CONTROLS = """() => {
  // Those of panes have their number behind the id; those without an id are told by a data attribute, or by name and value.
  const nameOf = ({ id, name, value, type, dataset }) => {
    if (id) return id.replace(/-\\d+$/, '');
    if (type === 'radio') return `${name}=${value}`;
    const own = dataset.do ?? (dataset.close && 'close');
    return own ? `data-${own}` : null;
  };
  window.controls = { touched: new Set(), nameOf };
  for (const kind of ['click', 'change', 'input'])
    addEventListener(kind, ({ target }) => window.controls.touched.add(nameOf(target)), true);
}"""
"""Notes which controls of a page are used."""


class Failure(AssertionError):
    """A check that found something wrong."""


def expect(holds, why):
    """Ends the check unless something holds."""
    if not holds:
        raise Failure(why)


class Server:
    """`sph view` on a free port."""

    def __init__(self, sph, *arguments):
        self.sph = sph
        command = [sph, "view", "--port", "0", *arguments]
        self.process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        self.address = self.process.stdout.readline().strip() if ready else ""
        if not self.address.startswith("http://"):
            self.close()
            raise Failure(f"{command} printed no address")

    def close(self):
        """Ends the server."""
        self.process.kill()
        self.process.wait()

    def step(self, pane=0):
        """The step of a pane, which stands in the header of its checkpoint."""
        with urllib.request.urlopen(f"{self.address}save/checkpoint?pane={pane}", timeout=PATIENCE) as answer:
            return int(answer.read(400).split(b"\nstep = ")[1].split()[0])

    def memory(self):
        """Resident memory, MiB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(status.split("VmRSS:")[1].split()[0]) / 1024


class Files:
    """The page without a server, from the folder that `scripts/build-web` has written."""

    def __init__(self, sph, folder):
        self.sph = sph
        handler = functools.partial(Quiet, directory=folder)
        self.files = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.files.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.files.server_port}/"

    def close(self):
        """Ends the server of files."""
        self.files.shutdown()
        self.files.server_close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Files, without a line for each."""

    def log_message(self, *_):
        pass


LARGE = {"width": 1400, "height": 900}
# Half as many pixels for the processor to shade.
SMALL = {"width": 1000, "height": 640}


class Tab:
    """A page of the server in a browser, and the faults that it has shown."""

    numbers = itertools.count(1)

    def __init__(self, browser, server, folder=None, **look):
        self.server = server
        self.faults = []
        self.context = browser.new_context(accept_downloads=True, **{"viewport": LARGE, **look})
        if folder:
            self.context.route(f"{server.address}**", lambda route: from_folder(route, pathlib.Path(folder)))
        self.touched, self.seen = set(), set()
        self.context.add_init_script(f"({CONTROLS})()")
        self.page = self.context.new_page()
        self.page.set_default_timeout(1000 * PATIENCE)
        self.page.on("console", lambda said: said.type == "error" and self.faults.append(f"console: {said.text}"))
        self.page.on("pageerror", lambda error: self.faults.append(f"page: {error}"))
        self.page.on("requestfailed", self.request_failed)
        self.page.on("response", lambda got: got.status >= 400 and self.faults.append(f"{got.status}: {got.url}"))

    def request_failed(self, request):
        """A download is no page: the browser counts it as one that it left."""
        if "/save/" not in request.url and not request.url.startswith("blob:"):
            self.faults.append(f"request: {request.url}: {request.failure}")

    def load(self):
        """Goes to the page, and waits for a picture of each pane."""
        self.note_controls()
        self.page.goto(self.server.address)
        self.page.wait_for_function("() => window.sphView")
        self.page.evaluate(HELPERS)
        self.until("s.connected && s.panes.length && s.panes.every((pane) => pane.frames && pane.n)", "no first picture")

    def save(self, what, pane=0):
        """A file of a run as text, without the panel that keeps it."""
        return self.page.evaluate("([what, pane]) => live.download(what, pane).then((file) => file.text())", [what, pane])

    def state(self):
        """What the page says of itself."""
        return self.page.evaluate("sphView.state()")

    def note_controls(self):
        """Adds the controls that the page has now to those that were seen, and those that were used to the others."""
        code = """() => {
          if (!window.sphView) return [[], []];
          const all = [...document.querySelectorAll('button, select, input, textarea, a[id]')].filter(({ hidden }) => !hidden);
          return [all.map(controls.nameOf).filter(Boolean), [...controls.touched].filter(Boolean)];
        }"""
        seen, touched = self.page.evaluate(code)
        self.seen.update(seen)
        self.touched.update(touched)

    def until(self, condition, why, patience=PATIENCE):
        """Waits until a condition on the state `s` holds, and returns the state."""
        code = f"() => {{ const s = sphView.state(); return ({condition}) ? s : false; }}"
        try:
            return self.page.wait_for_function(code, timeout=1000 * patience, polling=30).json_value()
        except BrowserError as error:
            if "Timeout" not in str(error):
                raise
            raise Failure(f"{why}: not ({condition}) after {patience:g} s; said {self.state()['said'][-2:]}") from None

    def open(self, *panes, patience=PATIENCE):
        """Opens panes by a link, each a scene's text or the values of a choice, and waits for their pictures."""
        self.pause()
        given = [{"scene": f"test-{next(self.numbers)}", "text": p} if isinstance(p, str) else p for p in panes]
        text = json.dumps({"panes": given}).encode()
        link = base64.urlsafe_b64encode(text).decode().rstrip("=")
        self.anew(f"location.hash = '{link}'", patience)
        expect([p["scene"] for p in self.state()["panes"]] == [p["scene"] for p in given], "other scenes were opened")

    def anew(self, code, patience=PATIENCE):
        """Runs code that opens panes, and waits for their first pictures."""
        self.page.evaluate(f"() => {{ live.before = live.store.panes; {code}; }}")
        fresh = "live.store.panes !== live.before && s.panes.every((pane) => pane.frames && pane.n)"
        return self.until(fresh, f"panes did not open by {code[:60]}", patience)

    def click(self, selector):
        """Clicks an element with the mouse."""
        self.page.locator(selector).click()

    def choose(self, group, value):
        """Chooses a radio button by its label, which is all that can be seen of it."""
        self.page.locator(f"label:has(input[name={group}][value='{value}'])").click()

    def key(self, key):
        """Presses a key of the whole page: nothing has the focus."""
        self.page.evaluate("document.activeElement?.blur()")
        self.page.keyboard.press(key)

    def slide(self, selector, value):
        """Drags a slider."""
        code = """(input, value) => {
          input.value = value;
          for (const kind of ['input', 'change']) input.dispatchEvent(new Event(kind, { bubbles: true }));
        }"""
        self.page.locator(selector).evaluate(code, value)

    def picture(self, k=0):
        """Lit pixels, a hash and the number of colors of the picture of a pane."""
        return self.page.evaluate("(k) => live.picture(k)", k)

    def place(self, x, k=0):
        """Where a point of a run is on the screen."""
        return self.page.evaluate("([k, x]) => live.place(k, x)", [k, x])

    def click_at(self, x, k=0):
        """Clicks a point of a run."""
        self.page.mouse.click(*self.place(x, k))

    def drag(self, start, end, k=0, button="left", seconds=0.4):
        """Drags from a point of a run to another, as slowly as a hand."""
        (x0, y0), (x1, y1) = self.place(start, k), self.place(end, k)
        mouse = self.page.mouse
        mouse.move(x0, y0)
        mouse.down(button=button)
        parts = max(int(seconds / 0.04), 1)
        for part in range(1, parts + 1):
            mouse.move(x0 + (x1 - x0) * part / parts, y0 + (y1 - y0) * part / parts)
            self.page.wait_for_timeout(40)
        mouse.up(button=button)

    def stats(self, k=0):
        """Numbers of the newest frame of a pane."""
        return self.page.evaluate("(k) => live.store.panes[k].frame.stats", k)

    def pause(self):
        """Pauses, and waits until nothing moves."""
        if self.state()["running"]:
            self.key(" ")
        self.until("!s.running", "the run does not pause")

    def play(self, until, why="the run does not go on", patience=PATIENCE):
        """Plays until a condition holds."""
        if not self.state()["running"]:
            self.key(" ")
        return self.until(until, why, patience)

    def set_speed(self, speed):
        """Asks for a speed by the keys."""
        while (now := self.state()["speed"]) != speed:
            self.key("]" if now < speed else "[")
            self.until(f"s.speed !== {now}", "the speed does not change")

    def download(self, selector, path):
        """Clicks a download and keeps its file."""
        with self.page.expect_download() as given:
            self.click(selector)
        given.value.save_as(path)
        return path

    def close(self):
        """Closes the page."""
        self.context.close()


def from_folder(route, folder):
    """Answers with the page's files of a folder in place of those in the program; with its other answers as they are."""
    path = route.request.url.split("?")[0].split("/", 3)[3]
    if path and not path.startswith("page/"):
        return route.continue_()
    file = folder / (path.removeprefix("page/") or "index.html")
    kinds = {".js": "text/javascript", ".css": "text/css", ".html": "text/html"}
    if not file.is_file():
        return route.fulfill(status=404, body="no such file")
    headers = {} if path else {k: v for k, v in route.fetch().headers.items() if k == "content-security-policy"}
    headers["content-type"] = f"{kinds.get(file.suffix, 'text/plain')}; charset=utf-8"
    return route.fulfill(status=200, headers=headers, body=file.read_bytes())


def seconds_since(begin):
    """Time that has passed since `begin`, s."""
    return time.monotonic() - begin

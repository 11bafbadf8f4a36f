#!/usr/bin/env python3
"""The page of the book that lists the laws that the tests hold, made from the tests.

    python3 scripts/laws.py            # writes docs/src/results/laws.md
    python3 scripts/laws.py --check    # says where the page differs from what it would be, and ends with 1

Reads the name, the doc comment and the place of every `#[test]`. Builds and runs nothing.
"""
import collections
import difflib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/src/results/laws.md"

METHODS = {
    "wcsph": "Weakly compressible SPH",
    "pbf": "Position Based Fluids",
    "viscoelastic": "Viscoelastic fluid",
    "projection": "Staggered projection",
}
CUDA = "{}, CUDA source executed on the processor"
CPU = "{}, on the CPU"
KERNELS = "Kernels, operators and surface terms"
NEIGHBORS = "Neighbors"
WALLS = "Walls, shapes and their motion"
BODIES = "Dynamic bodies"
INPUT = "Scenes and input"
RUN = "Run, restart and determinism"
EVERY = "Every method"
SHARED = "CUDA source that all methods share, and what runs it"
MEASURES = "Measures"
CASES = "Cases, files and report"
COMMAND = "The command, and the tests' own tools"
LIVE = "The live page"
ORDER = [
    KERNELS, NEIGHBORS, WALLS, BODIES, INPUT, RUN, EVERY,
    *(CPU.format(name) for name in METHODS.values()),
    *(CUDA.format(name) for name in METHODS.values()),
    SHARED, MEASURES, CASES, COMMAND, LIVE,
]

CORE, SUITE, SPH = "sph-core/tests/laws", "bench-suite/tests/suite", "apps/sph/tests/command"

# What a file is about: the first pattern that matches its path decides. The last ones of a crate take what is new.
GROUPS = [
    (rf"{CORE}/(kernels|lattice|operators|surface)\.rs", KERNELS),
    (rf"{CORE}/(neighbors|overlap|frame)\.rs", NEIGHBORS),
    (rf"{CORE}/(boundary|heightfield|hull|mesh|motion|penetration|pieces)\.rs", WALLS),
    (rf"{CORE}/(rotation|sampling|solids|wall_surface)\.rs", WALLS),
    (rf"{CORE}/(rigid|forms)\.rs", BODIES),
    (rf"{CORE}/(lanes|parallel|plan)\.rs", RUN),
    (rf"{CORE}/(layers|strategies)\.rs", COMMAND),
    ("sph-core/", INPUT),
    *((rf"solver-{key}/tests/gpu/", CUDA.format(name)) for key, name in METHODS.items()),
    *((rf"solver-{key}/", CPU.format(name)) for key, name in METHODS.items()),
    *((rf"cuda-kernels/tests/(physics_{key}/|kernels/{key}_)", CUDA.format(name)) for key, name in METHODS.items()),
    ("cuda-kernels/", SHARED),
    (rf"{SUITE}/cases/conformance\.rs|bench-suite/tests/allocation\.rs", EVERY),
    (rf"{SUITE}/run/(container|penetration)\.rs", WALLS),
    (rf"{SUITE}/(metrics/|run/(measures|forces|totals))|{SPH}/measures\.rs", MEASURES),
    (rf"{SUITE}/(run/|output/disk|system/write)", RUN),
    (rf"{SUITE}/(scenes/|corpus)", INPUT),
    (rf"{SUITE}/studies/(device_check/|parity)|{SPH}/(processor|device_check)\.rs", SHARED),
    (rf"{SUITE}/system/", COMMAND),
    ("bench-suite/", CASES),
    (rf"{SPH}/(kill|failure|folder|shapes)\.rs", RUN),
    (rf"{SPH}/(bad|hostile)\.rs", INPUT),
    (rf"{SPH}/view", LIVE),
    ("", COMMAND),
]

# Files that execute kernels on the processor; all else runs none.
ON_KERNELS = re.compile(r"solver-\w+/tests/gpu/|cuda-kernels/tests/(kernels|physics)|/measures_on_gpu\.rs")

# Files whose names of tests are set-ups, each of which the law of the module doc is tried with.
SETUPS = re.compile(r"solver-\w+/tests/laws/(determinism|restart|unstable)\.rs|/edges\.rs|/command/book\.rs")
SETUP_NAME = re.compile(r"so_do(es)?_")
# What only a name that is a law itself has there, outside of its clauses: "break" and "steps" are no verbs in set-ups.
STATES = re.compile(r"\b(is|are|has|have|says?|repeats|rescue)\b")

# The subject of a name that begins with a verb.
SUBJECTS = {
    f"{CORE}/kernels.rs": "each kernel",
    f"{CORE}/ranges.rs": "a range",
    f"{CORE}/errors.rs": "an error",
    f"{CORE}/overlap.rs": "the search for overlaps",
    f"{CORE}/rotation.rs": "a rotation",
}
SUBCOMMAND = re.compile(r"^(devices|list|mesh|parity|picture|report|run|schema|soak)\b(?! of)")
LEADING_VERB = re.compile(r"(agrees|integrates|is|names|prints|reads|refuses|scales|turns|vanishes)_")

# A first sentence that opens so leans on the name of the test; and every sentence has a verb, outside of its clauses.
LEANING = set(
    "Against Along Also Around As At Averaged Before Below Beside Between By Ends Evenly For From Half In Inside It Its "
    "Neither Of On One That There This Those Through Two Under What With Without".split())
CLAUSE = re.compile(
    r"\bas the [\w-]+ has\b|[:;].*|"
    r"\b(that|which|whose|who|what|when|where|as) ((is|are|was|does|do|has|have|can|cannot) )?(the )?[\w-]+")
VERB = re.compile(
    r"\b(is|are|was|has|have|had|may|can|cannot|could|must|shall|do|does|acts?|asks?|agrees?|attracts?|begins?|"
    r"breaks?|brings?|carr(y|ies)|changes?|comes?|computes?|conserves?|draws?|drives?|ends?|falls?|feels?|fits?|"
    r"flies|follows?|forgets?|gets?|gives?|goes|go|grows?|holds?|integrates?|joins?|keeps?|knows?|leads?|leaves?|"
    r"lets?|limits?|loses?|makes?|means?|measures?|meets?|moves?|names?|needs?|obeys?|offers?|pushes|reads?|"
    r"repeats?|rescues?|rests|returns?|says?|shows?|stands?|starts?|stays?|stops?|takes?|tells?|touch(es)?|"
    r"tries|try|turns?|writes?)\b"
)

# Words of names that are written otherwise in a sentence.
SPELLING = {
    "2d": "2D", "3d": "3D", "bdf2": "BDF2", "cpu": "CPU", "cuda": "CUDA", "doi": "DOI", "euler": "Euler",
    "auto": "`auto`", "galerkin": "Galerkin", "gpu": "GPU", "greek": "Greek", "gpus": "GPUs",
    "f32": "`f32`", "f64": "`f64`", "jacobi": "Jacobi", "json": "JSON", "laplacian": "Laplacian",
    "laplacians": "Laplacians", "mach": "Mach", "nan": "NaN", "newtonian": "Newtonian",
    "peridyno": "PeriDyno", "poissons": "Poisson's", "ptx": "PTX", "reynolds": "Reynolds", "rust": "Rust",
    "splitmix64": "SplitMix64", "todays": "today's", "emulators": "emulator's", "unix": "Unix", "verlet": "Verlet",
    "vtk": "VTK", "xsph": "XSPH", "norm2": "`norm2`", "w": "W",
}
PHRASES = {
    "s_corr": "`s_corr`", "ctrl_c": "Ctrl-C", "gauss_seidel": "Gauss-Seidel", "p_over_rho_squared": "p/ρ²",
    "no_slip": "no-slip", "free_slip": "free-slip", "half_space": "half-space", "pack_index": "`pack_index`",
    "round_off": "round-off", "position_based_fluids": "Position Based Fluids", "read_only": "read-only",
    "ones_own": "one's own", "c_library": "C library", "built_in": "built-in", "hang_up": "hang-up", "set_up": "set-up",
    "set_ups": "set-ups", "start_up": "start-up", "two_sided": "two-sided", "warm_up": "warm-up",
    "over_relaxed": "over-relaxed",
}
# Names cannot say where a comma stands.
LISTS = [
    "place, key, value, range and hint", "lists, words and", "unit, range and", "energy, memory and",
    "report, results and", "cases, variants, solvers and", "series, figures and", "viscosity, walls and",
    "fluid, wall and", "told, counted and", "well, refused, failed or", "generics, lifetimes and",
    "relaxation, viscosity and", "polygons, meshes and", "axes, moving walls, damping and", "axes, moving walls and",
    "paddle, damping and", "wall, springs, viscosity, skin and", "everything, skin and", "fluid, walls and",
    "no particle, one particle and", "sets, one particle and", "step, cause and",
    "box, whatever", "gap, whatever", "parabolas, whatever", "axes, moving walls, damping, and",
    "symmetrically and positively, and", "spacing on, x fastest",
]
PHRASES.update((phrase.replace(",", "").replace(" ", "_"), phrase) for phrase in LISTS)

# Reasons to ignore a test that is no law: an end of another test's process, a table of the book, food for a sanitizer.
NO_LAW = re.compile(r'#\[ignore = "[^"]*(process|table|Sanitizer)')

Law = collections.namedtuple("Law", "sentence crate path on_kernels is_random covers")

BLANKED = re.compile(
    r"""//[^\n]*|/\*.*?\*/|\br(?P<h>#*)".*?"(?P=h)|"(?:\\.|[^"\\])*"|'(?:\\.[^'\n]*|[^'\\\n])'""", re.DOTALL)
FUNCTION = re.compile(
    r"(?P<head>(?:^[ \t]*(?:///[^\n]*|#\[[^\n]*)\n)*)"
    r"^[ \t]*(?:pub )?fn (?P<name>\w+)(?P<generic><const D: usize>)?\(", re.MULTILINE)


def blanked(text):
    """The text with strings and comments as spaces, so that braces can be counted."""
    return BLANKED.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def block(code, start):
    """The end of the first block in braces behind `start`."""
    opening, depth = code.index("{", start), 0
    for brace in re.compile(r"[{}]").finditer(code, opening):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.end()
    return len(code)


def blocks(code, pattern):
    """Begin, end and name of all blocks that the pattern introduces."""
    found = re.finditer(pattern, code)
    return [(match.start(), block(code, match.start()), match[match.lastindex or 0]) for match in found]


def around(regions, place):
    """The name of the innermost region that holds a place, or nothing."""
    return next((name for start, end, name in reversed(regions) if start < place < end), None)


def first_sentence(doc):
    """The first sentence of a doc comment, with links as code."""
    doc = re.sub(r"\[(`[^`]+`)\]", r"\1", " ".join(doc.split()))
    return re.split(r"(?<=[.!?]) +(?=[A-Z`])", doc, maxsplit=1)[0]


def doc_of(head, sign):
    """The text behind the given sign of comments."""
    lines = (line.strip() for line in head.splitlines())
    paragraphs = " ".join(line[len(sign):].strip() or "\n" for line in lines if line.startswith(sign))
    return paragraphs.split("\n")[0]


def words(name):
    """A name as words, in the spelling of sentences."""
    for key, phrase in PHRASES.items():
        name = re.sub(rf"(?<![a-z]){key}(?![a-z])", phrase.replace("_", "\0"), name)
    return " ".join(SPELLING.get(word, word) for word in name.split("_")).replace("\0", "_")


def capital(text):
    """The text with a large first letter, unless it begins with code."""
    return text[0].upper() + text[1:]


def has_verb(text):
    """Whether the words before the first colon, without those behind a relative pronoun, hold a verb."""
    return VERB.search(CLAUSE.sub(" ", text))


def sentence(path, name, doc, module):
    """What a test holds: by its doc comment where that is a sentence and says more, else by its name."""
    first = first_sentence(doc)
    says = words(name)
    stands = re.match(r"[A-Z]", first) and first.endswith(".") and has_verb(first)
    if stands and first.split()[0].rstrip(":,") not in LEANING and len(first.split()) > len(says.split()):
        return first
    if SETUP_NAME.match(name) or SETUPS.search(path) and not STATES.search(CLAUSE.sub(" ", says)):
        law, setup = first_sentence(module).rstrip(".").split(":")[0], words(SETUP_NAME.sub("", name))
        return f"{law}, {setup}." if re.match("(at|in|with) ", setup) else f"{law} ({setup})."
    if LEADING_VERB.match(name) and path in SUBJECTS:
        says = f"{SUBJECTS[path]} {says}"
    elif path.startswith(SPH):
        says = SUBCOMMAND.sub(r"`sph \1`", says).replace("list` parameters", "list --parameters`")
    return capital(says) + "."


def dimensions(texts):
    """2D, 3D or both, where the source of a test says so."""
    found = [f"{d}D" for d in (2, 3) if any(re.search(rf"<{d}>|_{d}d\b|\b{d}D\b", text) for text in texts)]
    return " and ".join(found) if len(found) == 2 else ""


def tests(text, code):
    """Name, doc comment, attributes, random or not and body, and what a macro makes of it, for each test of a file."""
    random = blocks(code, r"\b(?:proptest|for_any)! \{")
    macros = blocks(code, r"\bmacro_rules! (\w+)")
    listed = {}
    for start, end, macro in macros:
        if re.search(r"#\[test\] fn \$", text[start:end]):
            for begin, stop, _ in blocks(code, rf"(?m)^{macro}! \{{"):
                listed.update((name, text[start:end]) for name in re.findall(r"\w+", code[begin:stop])[1:])
    for match in FUNCTION.finditer(text):
        head, name, place = match["head"], match["name"], match.start("name")
        if "#[test]" not in head and not (match["generic"] and name in listed):
            continue
        body = code[place:block(code, place)]
        macro = around(macros, place)
        uses = [listed[name]] if name in listed else [body]
        if macro:
            uses += [code[start:end] for start, end, _ in blocks(code, rf"\b{macro}! \{{")]
        yield name, head, around(random, place) is not None, body, uses


def coverage(body, uses):
    """What variants a test covers, as far as its source says it."""
    found = [dimensions(uses)]
    if re.search(r"\beach_variant\(|\bVARIANTS\b|\beach_without_order\(", body):
        found.append("every variant")
    elif re.search(r"\bMethod::ALL\b|\bMETHODS\b", body):
        found.append("every method")
    return [word for word in found if word]


def laws_of_file(path, text):
    """The laws of one file, with pairs of 2D and 3D as one."""
    code, module = blanked(text), doc_of(text, "//!")
    crate = "sph" if path.startswith("apps/sph/") else path.split("/")[0]
    by_name = {}
    for name, head, is_random, body, uses in tests(text, code):
        if not NO_LAW.search(head):
            by_name.setdefault(name, (doc_of(head, "///"), head, is_random, body, uses))
    for name, (doc, head, is_random, body, uses) in by_name.items():
        stem = re.sub(r"(_in)?_[23]d$", "", name)
        pair = [other for other in by_name if other != name and re.sub(r"(_in)?_[23]d$", "", other) == stem]
        covers = coverage(body, uses)
        if pair and name.endswith("_3d"):
            continue
        if pair:
            name, covers = stem, ["2D and 3D"]
        on_kernels = bool(ON_KERNELS.search(path) or 'feature = "host"' in head)
        yield Law(sentence(path, name, doc, module), crate, path, on_kernels, is_random, covers)


def told_apart(laws):
    """The laws of a group; those of several files that read alike say of what they are."""
    count = collections.Counter(law.sentence for law in laws)
    for law in laws:
        stem = pathlib.Path(law.path).stem.replace("_", " ")
        yield law if count[law.sentence] == 1 else law._replace(sentence=f"{law.sentence[:-1]} ({stem}).")


def sources():
    """Every Rust file of the workspace, in order."""
    crates = [folder for folder in [*ROOT.iterdir(), *(ROOT / "apps").iterdir()] if (folder / "Cargo.toml").is_file()]
    folders = [crate / part for crate in crates if crate.name != "fuzz" for part in ("src", "tests")]
    return sorted(path for folder in folders for path in folder.rglob("*.rs"))


def collect():
    """The laws of each group, in the order of the page; and the module doc of each file."""
    groups, modules = {name: [] for name in ORDER}, {}
    for file in sources():
        text, path = file.read_text(encoding="utf-8"), file.relative_to(ROOT).as_posix()
        if "#[test]" not in text:
            continue
        group = next(group for pattern, group in GROUPS if re.match(pattern, path))
        modules[path] = first_sentence(doc_of(text, "//!"))
        groups[group] += laws_of_file(path, text)
    return {name: list(told_apart(laws)) for name, laws in groups.items() if laws}, modules


HEAD = """\
# Laws that the tests hold

<!-- Made by scripts/laws.py: change the tests, not this page. -->

{count} laws, {random} of them over random inputs. {cuda} execute the CUDA source, on the processor; the other {cpu} run
on the CPU and execute no kernel. Those of the core and of the methods are tested in single and in double precision.

| crate | laws | over random inputs | CPU | CUDA source on the processor |
|---|---:|---:|---:|---:|
{crates}

`python3 scripts/laws.py` makes this page from the tests, and runs none of them. A law is the first sentence of a
test's doc comment, where that stands by itself and is longer than the name; else it is the name of the test. In files
whose tests are set-ups of one law it is the first sentence of the module, with the set-up behind it. A test in several
dimensions, with several kernels or variants counts once. *Random inputs* marks what proptest tries; dimensions and
variants are named where the source of the test says so. To add a law, [write a test](../contributing.md#tests) and run
the script.
"""


def row(name, laws):
    """A row of the table of crates."""
    cuda = sum(law.on_kernels for law in laws)
    return f"| {name} | {len(laws)} | {sum(law.is_random for law in laws)} | {len(laws) - cuda} | {cuda} |"


def line(law):
    """A law as one line."""
    marks = law.covers + ["random inputs"] * law.is_random
    return f"- {law.sentence}" + (f" *({', '.join(marks)})*" if marks else "")


def page():
    """The page, as one text."""
    groups, modules = collect()
    laws = [law for group in groups.values() for law in group]
    crates = sorted({law.crate for law in laws})
    rows = [row(f"`{crate}`", [law for law in laws if law.crate == crate]) for crate in crates]
    cuda = sum(law.on_kernels for law in laws)
    text = [HEAD.format(
        count=len(laws), random=sum(law.is_random for law in laws), cuda=cuda, cpu=len(laws) - cuda,
        crates="\n".join(rows))]
    for name, group in groups.items():
        text.append(f"## {name}\n\n{len(group)} laws.\n")
        for path in dict.fromkeys(law.path for law in group):
            about = f": {modules[path]}" if modules[path] else ""
            text.append(f"**`{path}`**{about}\n")
            text.append("\n".join(line(law) for law in group if law.path == path) + "\n")
    return "\n".join(text)


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    new = page()
    if not arguments:
        PAGE.write_text(new, encoding="utf-8")
        return
    old = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    if old != new:
        names = PAGE.relative_to(ROOT).as_posix(), "made from the tests"
        print("\n".join(difflib.unified_diff(old.splitlines(), new.splitlines(), *names, n=0, lineterm="")))
        sys.exit("the page of laws is not current: python3 scripts/laws.py")


if __name__ == "__main__":
    main(sys.argv[1:])

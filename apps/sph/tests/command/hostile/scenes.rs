//! Scenes that look valid, with numbers and choices that nobody would think of.

use crate::bad::schema::{Schema, choices, is_whole, of_type};
use bench_suite::{run, scenes::methods::SOLVERS, system::processor::Processor};
use serde_json::Value as Json;
use sph_core::{keys::Range, scene::Scene};
use std::collections::BTreeMap;
use toml::{Table, Value};

/// More particles than these take too long, `[-]`.
const PARTICLES: f64 = 20_000.0;
/// Steps of a run.
const STEPS: i64 = 150;

/// Makes the scenes of a method.
pub struct Generator {
    schema: Schema,
    method: usize,
    /// Places of values with what may stand there, by the table of the scene that they belong to.
    leaves: BTreeMap<String, Vec<(Vec<String>, Json)>>,
}

/// A closed box that fluid has no way out of.
pub struct Tank {
    low: Vec<f64>,
    high: Vec<f64>,
}

impl Tank {
    /// True for a position that is in the box, or in its wall within a spacing.
    pub fn holds(&self, x: &[f64], spacing: f64) -> bool {
        let ends = self.low.iter().zip(&self.high);
        x.iter().zip(ends).all(|(x, (low, high))| (low - spacing..=high + spacing).contains(x))
    }

    /// The tank of a scene whose wall is a closed box around its fluid, and stays so.
    fn of(scene: &Table) -> Option<Self> {
        let of = |kind: &str| Some(scene.get(kind)?.as_array()?.first()?.as_table()?.clone());
        let corners = |table: &Table| {
            let block = table.get("shape")?.get("block")?;
            let corner = |end: &str| -> Option<Vec<f64>> {
                block
                    .get(end)?
                    .as_array()?
                    .iter()
                    .map(|x| x.as_float().or(Some(x.as_integer()? as f64)))
                    .collect()
            };
            Some((corner("min")?, corner("max")?))
        };
        let (wall, fluid) = (of("wall")?, of("fluid")?);
        let plain =
            !["faces", "side", "motion", "offset", "layers"].iter().any(|key| wall.contains_key(*key));
        let escapes = scene.get("run").is_some_and(|run| run.get("escape_limit").is_some());
        let moves = ["command", "domain", "container"].iter().any(|key| scene.contains_key(*key));
        let ((low, high), (from, to)) = (corners(&wall)?, corners(&fluid)?);
        let inside =
            |x: &[f64]| x.iter().zip(low.iter().zip(&high)).all(|(x, (low, high))| low <= x && x <= high);
        (plain && !escapes && !moves && inside(&from) && inside(&to)).then_some(Self { low, high })
    }
}

impl Generator {
    /// That of the method at a place of the list.
    pub fn of(method: usize) -> Self {
        let schema = Schema::of(method);
        let mut leaves = BTreeMap::<_, Vec<_>>::new();
        for (path, node) in schema.leaves() {
            leaves.entry(path[0].clone()).or_default().push((path, node));
        }
        Self { schema, method, leaves }
    }

    /// Name of the method.
    pub fn method(&self) -> &'static str {
        SOLVERS[self.method].name
    }

    /// The scene of a seed, and its tank if it has one.
    pub fn scene(&self, seed: u64) -> (String, Option<Tank>) {
        let mut random = Random(seed.wrapping_mul(4).wrapping_add(self.method as u64));
        let template = plain(self.method(), &mut random);
        let mut scene: Table =
            toml::from_str(&template).unwrap_or_else(|error| panic!("{error}\n{template}"));
        for _ in 0..random.below(5) {
            let mutated = self.mutated(scene.clone(), &mut random);
            // What is refused is tried now and then, since other tests try nothing else.
            if is_small(&mutated).unwrap_or_else(|| random.below(8) == 0) {
                scene = mutated;
            }
        }
        let tank = Tank::of(&scene);
        (scene.to_string(), tank)
    }

    /// The scene with another value at one place.
    fn mutated(&self, scene: Table, random: &mut Random) -> Table {
        // What the scene has is changed more often than what it has not.
        let there = random.below(4) > 0;
        let tables: Vec<_> =
            self.leaves.keys().filter(|table| !there || scene.contains_key(*table)).collect();
        let table = tables[random.below(tables.len())];
        let leaves = &self.leaves[table];
        let (path, node) = &leaves[random.below(leaves.len())];
        if path[0] == "dim" || path.last().is_some_and(|key| key == "max_steps") {
            return scene;
        }
        let now = path
            .iter()
            .try_fold(&Value::from(scene.clone()), |value, step| match step.as_str() {
                "[0]" => value.as_array()?.first(),
                key => value.get(key),
            })
            .cloned();
        let value = self.value(node, now, random);
        let dim = scene["dim"].as_integer().unwrap_or(2) as usize;
        let mut scene = Value::from(self.schema.put(scene, path, Some(value)));
        tidy(&mut scene, dim);
        scene.try_into().unwrap()
    }

    fn value(&self, node: &Json, now: Option<Value>, random: &mut Random) -> Value {
        if node["type"] == "boolean" {
            return (random.below(2) == 0).into();
        }
        let names = choices(node);
        if !names.is_empty() {
            return names[random.below(names.len())].into();
        }
        let range = Range::parse(node["x-range"].as_str().unwrap().to_owned().leak());
        if node.get("items").is_none() {
            return of_type(node, number(&range, is_whole(node), now.as_ref().and_then(float), random));
        }
        // A list of numbers, or of lists: one of them changes.
        let mut list = match now.or_else(|| Some(self.schema.example(node))) {
            Some(Value::Array(list)) => list,
            _ => return 0.into(),
        };
        if !list.is_empty() {
            let k = random.below(list.len());
            let mut inner = &mut list[k];
            if let Value::Array(row) = inner {
                let k = random.below(row.len());
                inner = &mut row[k];
            }
            *inner = number(&range, false, float(inner), random).into();
        }
        list.into()
    }
}

fn float(value: &Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|x| x as f64))
}

/// A number near an end of its range, far from what is there now, or of any size.
fn number(range: &Range, whole: bool, now: Option<f64>, random: &mut Random) -> f64 {
    let (low, high) = (range.low().0, range.high().0);
    let sign = if low < 0.0 && random.below(2) == 0 { -1.0 } else { 1.0 };
    let x = match random.below(8) {
        0 if low.is_finite() => low,
        1 if high.is_finite() => high,
        2 if low.is_finite() => low + random.power(-9.0, 0.0),
        3 if high.is_finite() => high - random.power(-9.0, 0.0),
        4 | 5 => now.unwrap_or(1.0) * random.power(-3.0, 3.0),
        6 => now.unwrap_or(1.0) * random.power(-0.5, 0.5) * sign,
        _ => sign * random.power(-9.0, 9.0),
    };
    // Outside of its range it would only be refused, which other tests try.
    let x = if whole { x.round() } else { x };
    if range.contains(x) || random.below(20) == 0 { x } else { now.unwrap_or(1.0) }
}

/// True for a scene of few particles; none if it is refused.
fn is_small(scene: &Table) -> Option<bool> {
    let scene = Scene::parse("scene.toml", &scene.to_string()).ok()?;
    let counts = scene.estimate().ok()?;
    run::memory_plan(&scene, counts, &Processor::default()).ok()?;
    Some(counts.fluid + counts.walls < PARTICLES)
}

/// Points get as many numbers as the scene has dimensions, and blocks some extent.
fn tidy(value: &mut Value, dim: usize) {
    match value {
        Value::Table(table) => {
            table.iter_mut().for_each(|(_, value)| tidy(value, dim));
            let min = table.get("min").and_then(Value::as_array).cloned().unwrap_or_default();
            let max = table.get_mut("max").and_then(Value::as_array_mut).into_iter().flatten();
            for (low, high) in min.iter().zip(max) {
                if let (Some(low), Some(top)) = (float(low), float(high))
                    && top <= low
                {
                    *high = (low + 0.3).into();
                }
            }
        }
        Value::Array(list) if (2..=3).contains(&list.len()) && list.iter().all(|x| float(x).is_some()) => {
            list.resize(dim, 0.5.into());
        }
        Value::Array(list) => list.iter_mut().for_each(|value| tidy(value, dim)),
        _ => {}
    }
}

/// SplitMix64 (Steele, Lea & Flood 2014).
pub struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Ten to a power of this range.
    fn power(&mut self, low: f64, high: f64) -> f64 {
        10_f64.powf(self.uniform(low, high))
    }
}

/// Words of a scene in its dimension.
struct Words {
    dim: usize,
}

impl Words {
    fn point(&self, x: f64, y: f64, z: f64) -> String {
        format!("{:?}", &[x, y, z][..self.dim])
    }

    /// As deep as it is wide.
    fn block(&self, [left, low]: [f64; 2], [right, high]: [f64; 2]) -> String {
        let (min, max) = (self.point(left, low, left), self.point(right, high, right));
        format!("block = {{ min = {min}, max = {max} }}")
    }

    fn fluid(&self, low: f64, high: f64) -> String {
        format!("[[fluid]]\nshape.{}\n", self.block([low; 2], [high; 2]))
    }

    fn tank(&self) -> String {
        format!("[[wall]]\nname = \"tank\"\nshape.{}\n", self.block([0.0; 2], [1.0; 2]))
    }

    /// A measure at a place that may be anywhere.
    fn measure(&self, random: &mut Random) -> String {
        let mut place =
            || self.point(random.uniform(-0.2, 1.2), random.uniform(-0.2, 1.2), random.uniform(-0.2, 1.2));
        let (from, to) = (place(), place());
        let kinds = [
            format!("probe = {{ at = {from}, field = \"velocity\" }}"),
            format!("probe = {{ at = {from}, field = \"density\", diameter = 0.3, normal = {to} }}"),
            format!("gauge = {{ from = {from}, to = {to} }}"),
            format!("profile = {{ from = {from}, to = {to}, field = \"speed\" }}"),
            format!("flow = {{ at = {from}, normal = {to} }}"),
            "totals = [\"total_energy\", \"extent\", \"angular_momentum\", \"surface_area\", \"disorder\"]"
                .into(),
        ];
        let kind = &kinds[random.below(kinds.len())];
        let stretch = ["", "from = 1e-3\n", "to = 1e-3\n", "from = 1e-4\nto = 1e-2\n"][random.below(4)];
        let interval = random.power(-4.0, -1.0);
        format!("[[measure]]\nname = \"one\"\ninterval = {interval:?}\n{stretch}{kind}\n")
    }

    fn paddle(&self, motion: &str) -> String {
        let blade = self.block([0.75, 0.0], [0.875, 0.5]);
        format!("[[wall]]\nname = \"paddle\"\nside = \"outside\"\nshape.{blade}\nmotion.{motion}\n")
    }

    fn drive(&self, speed: f64) -> String {
        format!("translation = {{ velocity = {} }}", self.point(-speed, 0.0, 0.0))
    }

    fn swing(&self, amplitude: f64, frequency: f64) -> String {
        let along = format!("{amplitude:?}*sin({frequency:?}*t)");
        format!("formula.displacement = {:?}", &[&along, "0", "0"][..self.dim])
    }

    /// A block that leans, and may reach into anything.
    fn lever(&self, angle: f64) -> String {
        let (block, center) = (self.block([0.7, 0.1], [0.8, 0.6]), self.point(0.75, 0.25, 0.75));
        format!(
            "[[wall]]\nname = \"lever\"\nside = \"outside\"\nshape.rotated = {{ shape.{block}, center = {center}, \
             angle = {angle:?} }}\n"
        )
    }

    /// A wedge of fluid with any corner, in space what is below a bed.
    fn wedge(&self, x: f64, y: f64) -> String {
        let shape = match self.dim {
            2 => format!("polygon = {{ points = [[0.0, 0.0], [0.5, 0.0], [{x:?}, {y:?}], [0.0, 0.5]] }}"),
            _ => format!("heightfield = {{ file = {:?}, bottom = {:?} }}", self.file("bed"), 0.25 - y),
        };
        format!("[[fluid]]\nshape.{shape}\n")
    }

    /// What a table has between -0.5 and 1.5 m.
    fn stream(&self) -> String {
        format!("velocity.table.file = {:?}\n", self.file("flow"))
    }

    fn file(&self, name: &str) -> String {
        format!("{}/tests/command/hostile/{name}_{}d.csv", env!("CARGO_MANIFEST_DIR"), self.dim)
    }

    fn stone(&self, density: f64) -> String {
        let (shape, center) = (if self.dim == 2 { "disc" } else { "ball" }, self.point(0.25, 0.75, 0.25));
        format!(
            "[[body]]\nname = \"stone\"\nshape.{shape} = {{ center = {center}, radius = 0.125 }}\n\
             density = {density:?}\n"
        )
    }

    fn tap(&self, speed: f64) -> String {
        let (center, down) = (self.point(0.5, 0.75, 0.5), self.point(0.0, -1.0, 0.0));
        format!(
            "[[command]]\nat = 0.0\nemitter = {{ name = \"tap\", center = {center}, direction = {down}, \
             radius = 0.2, speed = {speed:?} }}\n"
        )
    }

    fn period(&self) -> String {
        let (min, max) = (self.point(0.0, -1.0, -1.0), self.point(1.0, 2.0, 2.0));
        format!("faces = [\"y_min\", \"y_max\"]\n[domain]\nperiodic = [\"x\"]\nmin = {min}\nmax = {max}\n")
    }

    fn star(&self, strength: f64) -> String {
        let (none, center) = (self.point(0.0, 0.0, 0.0), self.point(0.5, 0.5, 0.5));
        format!("gravity = {none}\nforces.central = {{ center = {center}, strength = {strength:?} }}\n")
    }

    fn jump(&self, speed: f64) -> String {
        let velocity = self.point(speed, 0.0, 0.0);
        format!(
            "[[command]]\nat = 0.01\nmove_wall = {{ wall = \"tank\", motion.translation = {{ velocity = \
             {velocity} }} }}\n"
        )
    }
}

/// A scene of its kind with a few numbers of its own.
fn plain(method: &str, random: &mut Random) -> String {
    let words = Words { dim: if random.below(4) == 0 { 3 } else { 2 } };
    let dam = words.fluid(0.0, 0.5) + &words.tank();
    let kind = random.below(13);
    let things = match kind {
        0 => dam,
        1 => words.fluid(0.0, 1.0) + &words.tank(),
        2 => dam + &words.paddle(&words.drive(random.power(-1.0, 2.5))),
        3 => dam + &words.stone(random.power(0.0, 5.0)),
        4 => words.tank() + &words.tap(random.power(-1.0, 2.0)),
        5 => format!("{}[[container]]\nshape.{}\n", words.fluid(0.25, 0.75), words.block([0.0; 2], [1.0; 2])),
        6 => dam + &words.period(),
        7 => words.star(random.power(-1.0, 3.0)) + &words.fluid(0.25, 0.75),
        8 => dam + &words.paddle(&words.swing(random.power(-3.0, 0.0), random.power(0.0, 3.0))),
        9 => dam + &words.lever(random.uniform(-4.0, 4.0)),
        10 => words.wedge(random.uniform(0.0, 0.6), random.uniform(0.0, 0.6)) + &words.tank(),
        11 => words.fluid(0.0, 0.5) + &words.stream() + &words.tank(),
        _ => dam + &words.jump(random.power(-1.0, 3.0)),
    };
    let measure = if random.below(2) == 0 { words.measure(random) } else { String::new() };
    // Without gravity or fluid these cannot be derived.
    let scales = match method {
        "wcsph" if matches!(kind, 4 | 7) => "sound_speed = 20.0\n",
        "viscoelastic" if matches!(kind, 4 | 7) => "stiffness = 50.0\n",
        _ => "",
    };
    format!(
        "dim = {}\nspacing = {:?}\nrun.end_time = 0.3\nrun.max_steps = {STEPS}\n{things}{measure}\
         [solver]\nname = \"{method}\"\n{scales}",
        words.dim,
        if words.dim == 2 { 0.05 } else { 0.125 },
    )
}

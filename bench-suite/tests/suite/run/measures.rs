//! Laws of measures: what they read in fields that are known, that they change nothing, and that a restart keeps them.

use crate::common;
use bench_suite::{scenes, system::processor::Processor};
use sph_core::{
    method::report::StepReport,
    run::{
        checkpoint::{self, Checkpoint},
        simulation::Simulation,
    },
    scene::Scene,
    watch::measure::Series,
};

/// A pool of 0.6 m depth and 1 m width, with `text` beside it.
fn pool(text: &str) -> Scene {
    let scene = format!(
        "spacing = 0.02\nrun.end_time = 1\n{text}\n[[fluid]]\nshape.block = {{ min = [0, 0], max = [1, 0.6] }}\n\
         velocity.linear = {{ matrix = [[1.0, 2.0], [-3.0, -1.0]], center = [0.3, 0.2] }}\njitter = 0.1\n\
         pressure.hydrostatic = {{ surface = 0.6 }}\n[[wall]]\nshape.block = {{ min = [0, 0], max = [1, 1] }}\n\
         faces = [\"x_min\", \"x_max\", \"y_min\"]\nlayers = 3\n[solver]\nname = \"wcsph\"\n"
    );
    Scene::parse("pool", &scene).unwrap_or_else(|error| panic!("{error}"))
}

/// The first samples of a scene, by name.
fn first<const D: usize>(scene: &Scene) -> impl Fn(&str) -> Vec<f64> + use<D> {
    let mut run: Simulation<D> = common::simulation("first", scene, &Processor::default());
    run.measure(&StepReport::default()).unwrap();
    let all: Vec<Series> = run.measures.series().cloned().collect();
    assert!(all.iter().all(|series| series.t == [0.0] && series.values.len() == series.width()), "{all:?}");
    move |name| all.iter().find(|series| series.name == name).unwrap().values.clone()
}

fn assert_near(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    let is_near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= tolerance);
    assert!(is_near && found.len() == expected.len(), "{what}: {found:?}, not {expected:?}");
}

fn measure(name: &str, what: &str) -> String {
    format!("[[measure]]\nname = \"{name}\"\n{what}\n")
}

/// `u = A (x − c)` of the pool.
fn velocity(x: f64, y: f64) -> [f64; 2] {
    let (dx, dy) = (x - 0.3, y - 0.2);
    [dx + 2.0 * dy, -3.0 * dx - dy]
}

#[test]
fn probes_of_first_order_meet_linear_fields_inside_and_at_walls() {
    let places = [(0.5, 0.3), (0.511, 0.287), (0.0, 0.3), (1.0, 0.0), (0.0, 0.0), (0.4, 0.6)];
    let probe = |(k, (x, y)): (usize, &(f64, f64))| {
        measure(&k.to_string(), &format!("probe = {{ at = [{x}, {y}], field = \"velocity\" }}"))
    };
    let text: String = places.iter().enumerate().map(probe).collect();
    let line = "profile = { from = [0, 0.1], to = [1, 0.4], points = 7, field = \"velocity\" }";
    let disc = "probe = { at = [1, 0.2], field = \"velocity\", diameter = 0.2, normal = [3, 0] }";
    let read = first::<2>(&pool(&(text + &measure("line", line) + &measure("disc", disc))));
    for (k, (x, y)) in places.into_iter().enumerate() {
        assert_near(&read(&k.to_string()), &velocity(x, y), 1e-5, &format!("at {x}, {y}"));
    }
    let points = (0..7).map(|k| f64::from(k) / 6.0).flat_map(|part| velocity(part, 0.1 + 0.3 * part));
    assert_near(&read("line"), &points.collect::<Vec<_>>(), 1e-5, "along a line");
    assert_near(&read("disc"), &velocity(1.0, 0.2), 1e-5, "on a disc, whose middle is the mean");
}

/// Probes in water at rest measure the pressure of their depth.
/// A mean does not reach the wall: there the pressure of a resting pool is too small by a part of the support.
#[test]
fn the_pressure_of_water_at_rest_is_that_of_its_depth() {
    let at = |order: u8, y: f64| {
        let what = format!("probe = {{ at = [0.5, {y}], field = \"pressure\", order = {order} }}");
        measure(&format!("{order} {y}"), &what)
    };
    let air = measure("air", "probe = { at = [0.5, 0.9], field = \"pressure\" }");
    let nothing = measure("nothing", "probe = { at = [0.5, 0.9], field = \"density\" }");
    let read = first::<2>(&pool(&(at(1, 0.0) + &at(0, 0.0) + &at(1, 0.3) + &air + &nothing)));
    let weight = 1000.0 * 9.81;
    assert_near(&read("1 0"), &[weight * 0.6], 0.01 * weight * 0.6, "on the bed");
    assert_near(&read("1 0.3"), &[weight * 0.3], 0.01 * weight * 0.6, "inside");
    let (mean, exact) = (read("0 0")[0], weight * 0.6);
    assert!(mean < 0.99 * exact && mean > 0.95 * exact, "{mean} {exact}");
    assert_eq!(read("air"), [0.0], "where no fluid is, the pressure is that of the air");
    assert!(read("nothing")[0].is_nan(), "there is no density where there is no fluid");
}

#[test]
fn levels_are_those_of_the_surface_at_walls_and_corners_too() {
    let gauge = |name: &str, from: [f64; 2], to: [f64; 2]| {
        measure(name, &format!("gauge = {{ from = {from:?}, to = {to:?} }}"))
    };
    let text = gauge("middle", [0.5, 0.0], [0.5, 1.0])
        + &gauge("wall", [1.0, 0.0], [1.0, 1.0])
        + &gauge("corner", [0.0, 0.0], [0.0, 1.0])
        + &gauge("from below the bed", [0.25, -0.06], [0.25, 1.0])
        + &gauge("oblique", [0.2, 0.0], [1.0, 0.8])
        + &gauge("in the air", [0.5, 0.7], [0.5, 1.0])
        + &gauge("full", [0.5, 0.1], [0.5, 0.4])
        // However large a disc is, it takes nothing from the others.
        + &measure("vast", "flow = { at = [0.5, 0.3], normal = [1, 0], radius = 1e39 }");
    let read = first::<2>(&pool(&text));
    let near = 0.1 * 0.02;
    for (name, level) in [("middle", 0.6), ("wall", 0.6), ("corner", 0.6), ("full", 0.3), ("in the air", 0.0)]
    {
        assert_near(&read(name), &[level, level], near, name);
    }
    assert_near(&read("oblique"), &[0.6 * 2.0_f64.sqrt(); 2], near * 1.5, "oblique");
    assert_near(&read("from below the bed"), &[0.66, 0.6], near, "below the bed is wall, not water");
}

#[test]
fn a_container_and_an_obstacle_take_space_of_a_gauge_as_walls_do() {
    let text = "spacing = 0.02\nrun.end_time = 1\n[[fluid]]\nshape.block = { min = [0, 0], max = [1, 0.6] }\n\
                cut = [{ block = { min = [0.4, 0.0], max = [0.6, 1.0] } }]\n[[container]]\n\
                shape.block = { min = [0, 0], max = [1, 1] }\n[[wall]]\nside = \"outside\"\n\
                shape.block = { min = [0.4, 0.0], max = [0.6, 1.0] }\n[solver]\nname = \"pbf\"\n";
    let gauges = [("container", 0.0), ("obstacle", 0.4), ("between", 0.2)];
    let gauge =
        |(name, x): &(&str, f64)| measure(name, &format!("gauge = {{ from = [{x}, 0.0], to = [{x}, 0.9] }}"));
    let all: String = gauges.iter().map(gauge).collect();
    let scene = Scene::parse("container", &(text.replace("[solver]", &(all + "[solver]")))).unwrap();
    let read = first::<2>(&scene);
    for (name, _) in gauges {
        assert_near(&read(name), &[0.6, 0.6], 0.1 * 0.02, name);
    }
}

/// Through the middle of a thick obstacle, and from far below the bed.
#[test]
fn walls_below_the_fluid_are_no_air() {
    let text = "spacing = 0.02\nrun.end_time = 1\n[domain]\nmin = [-1, -1]\nmax = [2, 2]\n[[fluid]]\nshape.block = { min = \
                [0, 0], max = [1, 0.6] }\ncut = [{ block = { min = [0.3, 0.0], max = [0.7, 0.4] } }]\n[[wall]]\nshape.block = \
                { min = [0, 0], max = [1, 1] }\nfaces = [\"x_min\", \"x_max\", \"y_min\"]\nlayers = 3\n[[wall]]\nside = \
                \"outside\"\nlayers = 3\nshape.block = { min = [0.3, 0.0], max = [0.7, 0.4] }\n[solver]\nname = \"wcsph\"\n";
    let gauge = |name: &str, x: f64, low: f64| {
        measure(name, &format!("gauge = {{ from = [{x}, {low}], to = [{x}, 0.9] }}"))
    };
    let all = gauge("on the obstacle", 0.5, 0.0) + &gauge("from far below", 0.1, -0.9);
    let read = first::<2>(&Scene::parse("thick", &text.replace("[solver]", &(all + "[solver]"))).unwrap());
    // Where a line comes out of a wall it is known to a quarter of a spacing.
    assert_near(&read("on the obstacle"), &[0.6, 0.2], 0.25 * 0.02, "on the obstacle");
    assert_near(&read("from far below"), &[1.5, 0.6], 0.25 * 0.02, "from far below");
}

/// Uniform flow through planes: across a part of a plane, all of it, at an angle, against the normal, and over the end of
/// a period.
#[test]
fn flow_rates_are_speed_times_area() {
    let flow = |name: &str, what: &str| measure(name, &format!("flow = {{ {what} }}"));
    let text = "spacing = 0.02\nrun.end_time = 1\nmass_mode = \"volume\"\ngravity = [0, 0]\ndomain = { min = [0, 0], max = [1, 1], \
                periodic = [\"x\", \"y\"] }\n[[fluid]]\nshape.block = { min = [0, 0], max = [1, 1] }\njitter = 0.1\n\
                velocity.uniform = [2.0, 0.0]\n[solver]\nname = \"wcsph\"\nsound_speed = 20\n";
    let all = flow("all", "at = [0.5, 0.5], normal = [1, 0]")
        + &flow("end", "at = [1.0, 0.5], normal = [-5, 0]")
        + &flow("part", "at = [0.5, 0.5], normal = [1, 0], radius = 0.25")
        + &flow("oblique", "at = [0.5, 0.5], normal = [1, 1], radius = 0.2")
        + &flow("along", "at = [0.5, 0.5], normal = [0, 1]");
    let read = first::<2>(&Scene::parse("flow", &text.replace("[solver]", &(all + "[solver]"))).unwrap());
    for (name, rate) in [("all", 2.0), ("end", -2.0), ("along", 0.0)] {
        assert_near(&read(name), &[rate], 0.01, name);
    }
    assert_near(&read("part"), &[1.0], 0.04, "part");
    assert_near(&read("oblique"), &[0.4 * 2.0_f64.sqrt()], 0.03, "oblique");
}

/// A cube that turns about the z axis through its middle, away from the origin.
#[test]
fn totals_in_space_are_those_of_a_turning_cube() {
    let text = "dim = 3\nspacing = 0.05\nrun.end_time = 1\ngravity = [0, 0, -10]\nmass_mode = \"volume\"\n[[fluid]]\n\
                shape.block = { min = [1, 0, 0], max = [2, 1, 1] }\nvelocity.linear = { matrix = [[0, -2, 0], [2, 0, \
                0], [0, 0, 0]], center = [1.5, 0.5, 0.5] }\n[[measure]]\nname = \"all\"\ntotals = [\"momentum\", \
                \"angular_momentum\", \"center\", \"extent\", \"potential_energy\", \"particles\", \"kinetic_energy\", \
                \"volume\", \"largest_speed\"]\n[[measure]]\nname = \"on a disc\"\nprobe = { at = [1.5, 0.9, 0.5], \
                field = \"velocity\", diameter = 0.2, normal = [0, 1, 0] }\n[solver]\nname = \"wcsph\"\n";
    let read = first::<3>(&Scene::parse("cube", text).unwrap());
    // The lattice lacks Δx² of the moment of inertia of the cube, m/6 (1 − Δx²).
    let inertia = 1000.0 / 6.0 * (1.0 - 0.05 * 0.05);
    let largest = 2.0 * 0.475 * 2.0_f64.sqrt();
    let expected = [
        &[0.0, 0.0, 0.0][..],
        &[0.0, 0.0, 2.0 * inertia],
        &[1.5, 0.5, 0.5],
        &[1.025, 0.025, 0.025, 1.975, 0.975, 0.975],
        &[1000.0 * 10.0 * 0.5, 8000.0, 0.5 * 4.0 * inertia, 1.0, largest],
    ];
    assert_near(&read("all"), &expected.concat(), 5e-3, "totals");
    assert_near(&read("on a disc"), &[-0.8, 0.0, 0.0], 1e-5, "the mean over a disc in space");
}

#[test]
fn measures_change_no_bit_of_the_run() {
    let measured = scenes::read(&scenes::folder().join("measured.toml")).unwrap();
    let hash = |scene: &Scene| {
        let mut run: Simulation<2> = common::simulation("measured", scene, &Processor::default());
        run.run(0.02, 1000, &mut []).unwrap();
        run.state.hash()
    };
    let mut bare = measured.clone();
    bare.measure.clear();
    assert_eq!(hash(&measured), hash(&bare));
}

/// Bits, since what is NaN is equal, too.
pub(super) fn bits<const D: usize>(run: &Simulation<D>) -> Vec<(Vec<u64>, Vec<u64>)> {
    let of = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    run.measures.series().map(|series| (of(&series.t), of(&series.values))).collect()
}

/// With each method, on each number of threads and through a checkpoint in the middle the samples have the same bits.
#[test]
fn samples_are_the_same_on_all_threads_and_through_a_restart() {
    let measured = scenes::read(&scenes::folder().join("measured.toml")).unwrap();
    for name in ["wcsph", "pbf", "viscoelastic", "projection"] {
        let mut scene = measured.clone();
        scene.solver = sph_core::scene::SolverSettings::named(name);
        if !["wcsph", "projection"].contains(&name) {
            let has_pressure = |measure: &sph_core::scene::Measure| {
                let field =
                    measure.probe.as_ref().map(|p| &p.field).or(measure.profile.as_ref().map(|p| &p.field));
                let formula = measure.statistic.as_ref().map(|s| &s.formula);
                field.is_some_and(|field| field == "pressure")
                    || formula.is_some_and(|formula| formula.named().any(|name| name == "p"))
            };
            scene.measure.retain(|measure| !has_pressure(measure));
        }
        let (end, middle) = (0.06, 0.03);
        // Those of all kinds in a part of the run, over the restart.
        let stretch = |measure: &sph_core::scene::Measure| {
            let (from, to) = (Some(0.01), Some(0.05));
            sph_core::scene::Measure {
                name: format!("{} for a while", measure.name),
                from,
                to,
                ..measure.clone()
            }
        };
        let part: Vec<_> = scene.measure.iter().map(stretch).collect();
        scene.measure.extend(part);
        let whole = |threads| {
            common::on_threads(threads, || {
                let mut run: Simulation<2> = common::simulation(name, &scene, &Processor::default());
                run.run(end, 10_000, &mut []).unwrap();
                bits(&run)
            })
        };
        let one = whole(1);
        let samples: Vec<usize> = one.iter().map(|(t, _)| t.len()).collect();
        assert!(samples.iter().all(|n| *n > 0) && samples.iter().any(|n| *n > 5), "{name}: {samples:?}");
        assert_eq!(whole(3), one, "{name}");

        let mut run: Simulation<2> = common::simulation(name, &scene, &Processor::default());
        let at_middle = |view: &sph_core::method::observer::View<'_, 2>| view.state.t < middle;
        run.run(end, 10_000, &mut [&mut { at_middle }]).unwrap();
        let mut bytes = Vec::new();
        checkpoint::write(&mut run, "", "test", &mut bytes).unwrap();
        let mut again: Simulation<2> = common::simulation(name, &scene, &Processor::default());
        let kept = Checkpoint::read(&mut &bytes[..], bytes.len() as u64).unwrap();
        kept.restore(&mut again).unwrap();
        again.run(end, 10_000, &mut []).unwrap();
        assert_eq!(bits(&again), one, "{name} through a restart");
    }
}

/// In its stretch of time a measure has the samples that another of the same intervals has there, and no other.
#[test]
fn samples_are_taken_from_and_to_a_time() {
    let some = |name: &str, stretch: &str| {
        let force = measure(
            &format!("force {name}"),
            &format!("interval = 0.004\n{stretch}force = {{ on = \"wall[0]\" }}"),
        );
        force + &measure(name, &format!("interval = 0.004\n{stretch}totals = [\"kinetic_energy\"]"))
    };
    let text = some("all", "")
        + &some("part", "from = 0.012\nto = 0.02\n")
        + &some("off", "from = 0.013\nto = 0.0202\n");
    let mut run: Simulation<2> = common::simulation("pool", &pool(&text), &Processor::default());
    run.fixed_dt = Some(2e-4);
    run.run(0.03, 10_000, &mut []).unwrap();
    let of = |name: &str| -> Vec<(f64, Vec<f64>)> {
        let series = run.measures.series().find(|series| series.name == name).unwrap();
        series.rows().map(|(t, row)| (t, row.to_vec())).collect()
    };
    for name in ["", "force "] {
        let (all, part, off) =
            (of(&format!("{name}all")), of(&format!("{name}part")), of(&format!("{name}off")));
        assert_eq!(all.len(), 8, "{all:?}");
        assert_eq!(part, all[3..=5], "{name}");
        let times: Vec<f64> = off.iter().map(|(t, _)| *t).collect();
        assert_near(&times, &[0.013, 0.017], 1e-9, "counted from the first");
    }
}

/// A gauge in a tank that moves goes on reading the depth of the water in it: the walls are where they are now.
#[test]
fn a_gauge_sees_walls_where_they_are_now() {
    let text = "motion.translation = { velocity = [0.5, 0] }\n[solver]";
    let gauge = measure("wall", "gauge = { from = [0.04, 0.0], to = [0.04, 0.9] }");
    let scene = "spacing = 0.02\nrun.end_time = 0.08\n[[fluid]]\nshape.block = { min = [0, 0], max = [1, 0.6] }\n\
                 velocity.uniform = [0.5, 0]\npressure.hydrostatic = { surface = 0.6 }\n[[wall]]\nshape.block = { min \
                 = [0, 0], max = [1, 1] }\nfaces = [\"x_min\", \"x_max\", \"y_min\"]\nlayers = 3\n[solver]\nname = \
                 \"wcsph\"\n";
    let scene = Scene::parse("moving", &(scene.replace("[solver]", text) + &gauge)).unwrap();
    let mut run: Simulation<2> = common::simulation("moving", &scene, &Processor::default());
    run.run(0.08, 10_000, &mut []).unwrap();
    let series = run.measures.series().next().unwrap();
    let last = series.rows().last().unwrap();
    // The wall has come to the gauge.
    assert_near(&last.1[..1], &[0.6], 0.5 * 0.02, "level at a wall that has come near");
}

/// Samples of another scene do not fit.
#[test]
fn a_checkpoint_with_other_measures_is_refused() {
    let with = |text: &str| common::simulation::<2>("pool", &pool(text), &Processor::default());
    let level = measure("level", "gauge = { from = [0.5, 0], to = [0.5, 1] }");
    let totals = measure("totals", "totals = [\"volume\"]");
    let mut run = with(&level);
    run.measure(&StepReport::default()).unwrap();
    let mut bytes = Vec::new();
    checkpoint::write(&mut run, "", "test", &mut bytes).unwrap();
    let restore = |text: &str| {
        Checkpoint::read(&mut &bytes[..], bytes.len() as u64)
            .unwrap()
            .restore(&mut with(text))
            .map_err(|e| e.to_string())
    };
    assert_eq!(restore(&level), Ok(()));
    let [other, more, none] =
        [totals.clone(), level + &totals, String::new()].map(|text| restore(&text).unwrap_err());
    assert!(other.contains("samples of \"totals\" that are not whole"), "{other}");
    assert!(more.contains("lacks the array \"measure.1.t\""), "{more}");
    assert!(none.contains("holds \"measure.0.t\""), "{none}");
}

/// A block in free fall under a prescribed acceleration: its velocity is the integral, through a restart and a change of
/// gravity as well.
#[test]
fn what_shakes_a_tank_accelerates_the_fluid() {
    let text = "spacing = 0.1\nrun.end_time = 0.5\nrun.time_step = 0.001\ngravity = [0, -2]\nforces.acceleration = \
                [\"3*sin(8*t)\", \"2\"]\n[[fluid]]\nshape.block = { min = [0, 0], max = [1, 1] }\n[[command]]\nat = \
                0.25\nset = { key = \"gravity\", value = [0, 5] }\n[[measure]]\nname = \"all\"\ninterval = 0.001\ntotals \
                = [\"momentum\"]\n[solver]\nname = \"wcsph\"\nsound_speed = 10\n";
    let scene = Scene::parse("shaken", text).unwrap();
    let run = || -> Simulation<2> { common::simulation("shaken", &scene, &Processor::default()) };
    let mut whole = run();
    whole.run(0.5, 10_000, &mut []).unwrap();
    let mass = f64::from(whole.state.rest.m) * whole.state.fluid.len() as f64;
    for (t, momentum) in whole.measures.series().next().unwrap().rows() {
        let expected = [3.0 / 8.0 * (1.0 - (8.0 * t).cos()), 7.0 * (t - 0.25).max(0.0)];
        // The acceleration is that of the beginning of a step: half a step late.
        for (found, expected) in momentum.iter().zip(expected) {
            assert!((found / mass - expected).abs() < 5e-3, "{t}: {found}, {}", expected * mass);
        }
    }
    for middle in [0.1, 0.3] {
        let (mut half, mut again) = (run(), run());
        half.run(0.5, (middle * 1000.0) as u64, &mut []).unwrap();
        let mut bytes = Vec::new();
        checkpoint::write(&mut half, "", "test", &mut bytes).unwrap();
        Checkpoint::read(&mut &bytes[..], bytes.len() as u64).unwrap().restore(&mut again).unwrap();
        again.run(0.5, 10_000, &mut []).unwrap();
        assert_eq!((again.state.hash(), bits(&again)), (whole.state.hash(), bits(&whole)), "{middle}");
    }
}

/// A disc that fluid wets by half reads half of its pressure, and a dry one that of the air.
#[test]
fn a_disc_reads_the_air_where_it_is_dry() {
    // Its middle lies as far over the water as the kernel reaches: there the weight of a particle ends.
    let disc = |name: &str, x: f64, y: f64| {
        measure(
            name,
            &format!(
                "probe = {{ at = [{x}, {y}], field = \"pressure\", order = 0, diameter = 0.4, normal = [1, 0] }}"
            ),
        )
    };
    let scene = format!(
        "spacing = 0.02\nrun.end_time = 1\ngravity = [0, 0]\n{}{}[[fluid]]\nshape.block = {{ min = [0, 0], max = [1, \
         0.6] }}\npressure.formula = \"1000\"\n[solver]\nname = \"wcsph\"\nsound_speed = 10\n",
        disc("half", 1.0, 0.66),
        disc("dry", 0.5, 0.9)
    );
    let read = first::<2>(&Scene::parse("disc", &scene).unwrap());
    // Nine chords of the disc: the middle one, 0.17 of all, is out of reach by rounding alone.
    assert_near(&read("half"), &[500.0], 100.0, "a disc that is wet by half");
    assert_near(&read("dry"), &[0.0], 0.0, "a dry disc");
}

//! Fluid and dynamic bodies: scenes, and what is measured in them.

use super::super::common::{self, NAME};
use super::{
    measures::norm,
    restarting::{load, save},
    scenes::simulation,
};
use sph_core::run::simulation::Simulation;

/// Numbers of a vector, with z = 0 in 2D.
pub fn vector<const D: usize>(xy: [f64; 2]) -> String {
    let mut x = vec![0.0; D];
    x[..2].copy_from_slice(&xy);
    format!("{x:?}")
}

/// `x × p`, with its last entry alone in 2D.
fn cross<const D: usize>(x: &[f64; D], p: &[f64; D]) -> [f64; 3] {
    let get = |v: &[f64; D], k: usize| v.get(k).copied().unwrap_or(0.0);
    std::array::from_fn(|k| {
        let (k, l) = ((k + 1) % 3, (k + 2) % 3);
        get(x, k) * get(p, l) - get(x, l) * get(p, k)
    })
}

/// Momentum and angular momentum about the origin of fluid and bodies, and the sums of the sizes of their terms. `mass`
/// is that of the particle with an id, over that at rest.
fn momenta<const D: usize>(sim: &Simulation<D>, mass: impl Fn(u64) -> f64) -> ([f64; D], [f64; 3], [f64; 2]) {
    let (fluid, m) = (&sim.state.fluid, f64::from(sim.state.rest.m));
    let of_fluid = (0..fluid.len()).map(|i| {
        let momentum = fluid.velocity(i).map(|v| m * mass(fluid.id[i]) * f64::from(v));
        (fluid.position(i).map(f64::from), momentum, [0.0; 3])
    });
    let of_bodies = sim.state.bodies.list.iter().map(|body| (body.x, body.momentum, body.angular_momentum));
    let (mut p, mut l, mut scale) = ([0.0; D], [0.0; 3], [0.0; 2]);
    for (x, momentum, spin) in of_fluid.chain(of_bodies) {
        let orbit = cross(&x, &momentum);
        (0..D).for_each(|a| p[a] += momentum[a]);
        (0..3).for_each(|a| l[a] += orbit[a] + spin[a]);
        scale[0] += norm(&momentum);
        scale[1] += norm(&x) * norm(&momentum) + norm(&spin);
    }
    (p, l, scale)
}

/// A 3D block of fluid without gravity, a box and a ball that fly into it, turning, and into each other.
pub fn collision<const D: usize>(solver: &str) -> String {
    let v = vector::<D>;
    let spin = |w: f64| if D == 2 { format!("[{w:?}]") } else { format!("[0.3, -0.2, {w:?}]") };
    let block = |min: [f64; 2], max: [f64; 2], depth: f64| {
        let z = |z: f64| if D == 3 { format!(", {z:?}") } else { String::new() };
        let corner = |x: [f64; 2], z0: f64| format!("[{:?}, {:?}{}]", x[0], x[1], z(z0));
        format!("shape.block = {{ min = {}, max = {} }}", corner(min, -depth), corner(max, depth))
    };
    format!(
        "dim = {D}\nspacing = 0.05\nrest_density = 1000.0\ngravity = {gravity}\nrun.end_time = 10.0\n\
         domain = {{ min = {low:?}, max = {high:?} }}\n\
         [[fluid]]\n{fluid}\n\
         [[body]]\nname = \"box\"\n{brick}\ndensity = 600.0\nangle = 0.3\nvelocity = {fast}\nangular_velocity = {turn}\n\
         [[body]]\nname = \"ball\"\nshape.ball = {{ center = {ball}, radius = 0.12 }}\ndensity = 2000.0\nvelocity = {slow}\n\
         [solver]\nname = \"{NAME}\"\n{solver}\n",
        gravity = v([0.0, 0.0]),
        low = vec![-9.0; D],
        high = vec![9.0; D],
        fluid = block([-0.3, -0.2], [0.3, 0.2], 0.2),
        brick = block([0.4, -0.1], [0.7, 0.1], 0.1),
        fast = v([-1.5, 0.2]),
        turn = spin(4.0),
        ball = v([-0.1, 0.4]),
        slow = v([0.1, -1.0]),
    )
}

/// The change over `steps` steps, relative to the sums of sizes: of momentum, and of angular momentum. Every body must
/// be touched.
pub fn change<const D: usize>(text: &str, steps: u64, mass: impl Fn(u64) -> f64) -> [f64; 2] {
    let mut sim = simulation::<D>(text);
    let (p_0, l_0, _) = momenta(&sim, &mass);
    let before = sim.state.bodies.list.clone();
    sim.run(10.0, steps, &mut []).expect("a healthy run");
    let (p, l, scale) = momenta(&sim, &mass);
    for (body, before) in sim.state.bodies.list.iter().zip(&before) {
        let kick: [f64; D] = std::array::from_fn(|a| body.momentum[a] - before.momentum[a]);
        assert!(norm(&kick) > 0.01 * norm(&before.momentum), "{} was not touched: {kick:?}", body.form.name);
    }
    let dp: [f64; D] = std::array::from_fn(|a| p[a] - p_0[a]);
    let dl: [f64; 3] = std::array::from_fn(|a| l[a] - l_0[a]);
    [norm(&dp) / scale[0], norm(&dl) / scale[1]]
}

const WIDTH: f64 = 0.8;
/// Depth of the water, `[m]`.
pub const DEPTH: f64 = 0.4;

/// A tank 0.8 m wide with water 0.4 m deep, 0.3 m across in 3D, and a body.
pub fn tank<const D: usize>(spacing: f64, body: &str, fluid: &str, solver: &str) -> String {
    let z = |z: f64| if D == 3 { format!(", {z:?}") } else { String::new() };
    let (of_fluid, of_walls) = common::of_tank(solver);
    format!(
        "dim = {D}\nspacing = {spacing:?}\nrun.end_time = 10.0\n\
         [[fluid]]\nshape.block = {{ min = [0.0, 0.0{low}], max = [{WIDTH}, {DEPTH}{high}] }}\n\
         {of_fluid}\n{fluid}\n\
         [[wall]]\nname = \"tank\"\nshape.block = {{ min = [0.0, 0.0{low}], max = [{WIDTH}, 1.0{high}] }}\n\
         layers = 3\n{of_walls}\n\
         [[body]]\n{body}\n{of_walls}\nlayers = 3\n\
         [solver]\nname = \"{NAME}\"\n{solver}\n",
        low = z(0.0),
        high = z(0.3),
    )
}

/// A box 0.2 m by 0.16 m, across the tank but for half a spacing on either side in 3D, with its center at `y`.
pub fn brick<const D: usize>(y: f64) -> String {
    let z = |z: f64| if D == 3 { format!(", {z:?}") } else { String::new() };
    format!(
        "shape.block = {{ min = [0.3, {:?}{}], max = [0.5, {:?}{}] }}",
        y - 0.08,
        z(0.05),
        y + 0.08,
        z(0.25)
    )
}

/// Level of the water away from the raft and from the walls: half a spacing above the highest particles of columns two
/// spacings wide.
fn level<const D: usize>(sim: &Simulation<D>) -> f64 {
    let (fluid, spacing) = (&sim.state.fluid, f64::from(sim.state.rest.spacing));
    let mut tops = vec![f64::NEG_INFINITY; (0.5 * WIDTH / spacing) as usize];
    for i in 0..fluid.len() {
        let x = fluid.position(i).map(f64::from);
        let away = (x[0] - sim.state.bodies.list[0].x[0]).abs() > 0.12 + 4.0 * spacing;
        if let Some(top) = tops.get_mut((0.5 * x[0] / spacing) as usize).filter(|_| away) {
            *top = top.max(x[1] + 0.5 * spacing);
        }
    }
    let n = tops.len();
    let tops: Vec<f64> = tops[1..n - 1].iter().copied().filter(|top| top.is_finite()).collect();
    tops.iter().sum::<f64>() / tops.len() as f64
}

/// A raft of half the density of water, 0.24 m by 0.16 m, let go where it floats too high, in water that is calmed for a second. It is
/// upright by far: its metacenter stands `b²/12T + T/2 − h/2` = 2 cm above its center.
fn floating<const D: usize>(spacing: f64, solver: &str) -> String {
    let (margin, z) = (0.5 * spacing, |z: f64| if D == 3 { format!(", {z:?}") } else { String::new() });
    let block = |[left, bottom]: [f64; 2], [right, top]: [f64; 2], margin: f64| {
        let (low, high) = (z(0.05 - margin), z(0.25 + margin));
        let (min, max) = ([left - margin, bottom - margin], [right + margin, top + margin]);
        format!(
            "block = {{ min = [{:?}, {:?}{low}], max = [{:?}, {:?}{high}] }}",
            min[0], min[1], max[0], max[1]
        )
    };
    let (low, high) = ([0.28, 0.36], [0.52, 0.52]);
    let cut = format!("cut = [{{ {} }}]", block(low, high, margin));
    let body = format!("shape.{}\ndensity = 500.0", block(low, high, 0.0));
    format!("damping = {{ rate = 4.0, until = 1.0 }}\n{}", tank::<D>(spacing, &body, &cut, solver))
}

/// Share of the raft below the water, as a mean over the last part of a run.
fn mean_share<const D: usize>(sim: &mut Simulation<D>, from: f64, to: f64) -> f64 {
    sim.run(from, u64::MAX, &mut []).expect("a healthy run");
    let (mut sum, mut time) = (0.0, 0.0);
    while sim.state.t < to {
        let report = sim.step(to).expect("a healthy run");
        let bottom = sim.state.bodies.list[0].x[1] - 0.08;
        sum += report.dt * (level(sim) - bottom) / 0.16;
        time += report.dt;
    }
    println!("level {:.4} at last, height of the raft {:.4}", level(sim), sim.state.bodies.list[0].x[1]);
    sum / time
}

/// The share of a raft of half the density of water that settles under water, and its tilt, in rad.
pub fn settled<const D: usize>(spacing: f64, solver: &str) -> (f64, f64) {
    let mut sim = simulation::<D>(&floating::<D>(spacing, solver));
    let share = mean_share(&mut sim, 1.1, 1.7);
    println!("{D}D {solver:?}: {share:.4}, turned by {:.4}", sim.state.bodies.list[0].rotation.angle());
    (share, sim.state.bodies.list[0].rotation.angle())
}

/// In water a heavy box sinks with less than g: the water that it moves is heavy, too. Then it lies on the floor, slower
/// than `rest`, in m/s.
pub fn sinks_to_the_floor_and_stays(solver: &str, rest: f64) {
    let spacing = 0.02;
    let body = format!("{}\ndensity = 3000.0", brick::<2>(0.5));
    let mut sim = simulation::<2>(&tank::<2>(spacing, &body, "", solver));
    sim.run(0.2, u64::MAX, &mut []).expect("a healthy run");
    let falling = sim.state.bodies.list[0].velocity()[1];
    assert!(falling < -0.3 && falling > -9.81 * 0.2, "{falling}");
    sim.run(1.5, u64::MAX, &mut []).expect("a healthy run");
    let body = &sim.state.bodies.list[0];
    println!("lies at {:?}, moves with {:?}", body.x, body.velocity());
    // On the floor, or on a layer of water one spacing thick that could not get away.
    assert!(body.x[1] > 0.08 - 0.05 * spacing && body.x[1] < 0.08 + 1.5 * spacing, "{:?}", body.x);
    assert!(norm(&body.velocity()) < rest, "{:?}", body.velocity());
}

/// What is warned of before a disc of 0.2 m and this density is let go in water of this viscosity, that slow bodies are held up.
fn held_up(solver: &str, density: f64, mu: f64) -> Option<String> {
    let body = format!("shape.disc = {{ center = [0.4, 0.2], radius = 0.1 }}\ndensity = {density:?}");
    let cut = "cut = [{ disc = { center = [0.4, 0.2], radius = 0.11 } }]";
    let sim = simulation::<2>(&tank::<2>(0.02, &body, cut, &format!("{solver}\ndynamic_viscosity = {mu:?}")));
    sim.solver.derived(&sim.state).warnings.into_iter().find(|warning| warning.contains("holds it up"))
}

/// A body that sinks slowly in a viscous fluid is warned of with its Reynolds number, one that floats or falls fast is not.
pub fn slow_bodies_are_warned_of(solver: &str) {
    // 4/9 (ρ_b/ρ₀ − 1) g a³/ν², with the radius of the disc.
    let re = 4.0 / 9.0 * 0.2 * 9.81 * 0.1_f64.powi(3) / 0.01_f64.powi(2);
    let warning = held_up(solver, 1200.0, 10.0).expect("a warning");
    assert!(warning.contains(&format!("about {re:.2}")) && warning.contains("`body[0]`"), "{warning}");
    assert_eq!([held_up(solver, 800.0, 10.0), held_up(solver, 1200.0, 1.0)], [None, None]);
}

/// None is warned of where bodies get the pressure over their surface.
pub fn no_slow_body_is_warned_of(solver: &str) {
    assert_eq!(held_up(solver, 1200.0, 10.0), None);
}

/// Bodies, a stirrer, and all that a run can have beside them.
pub fn busy<const D: usize>(solver: &str, extra: &str) -> String {
    let center = if D == 2 { "[0.6, 0.5]" } else { "[0.6, 0.5, 0.15]" };
    let ball = format!(
        "[[body]]\nshape.ball = {{ center = {center}, radius = 0.08 }}\ndensity = 1500.0\nrestitution = 0.4\n"
    );
    let paddle = if D == 2 {
        "[[wall]]\nname = \"paddle\"\nshape.block = { min = [0.1, 0.5], max = [0.2, 0.9] }\nside = \"outside\"\n\
         motion.rotation = { center = [0.15, 0.7], angular_velocity = 6.0 }\n"
    } else {
        ""
    };
    let body = format!(
        "{}\ndensity = 700.0\nangle = 0.3\nvelocity = {}",
        brick::<D>(0.52),
        vector::<D>([0.8, -2.0])
    );
    let mut text =
        tank::<D>(if D == 2 { 0.02 } else { 0.05 }, &body, "", &format!("{solver}\n{ball}{paddle}"));
    text.insert_str(0, &format!("{extra}\n"));
    text
}

/// A pointer that takes the brick of [`busy`] along, in 2D.
pub const PULL: &str = "[[command]]\nstep = 1\n\
    push = { radius = 0.2, path = [{ time = 0.0, position = [0.45, 0.65] }, { time = 0.05, position = [0.55, 0.7] }] }\n";

/// A pointer that passes the corner of a box takes it along, to swing from where it is held: the energy of the box in the frame of
/// the pointer never grows. What is far away goes on as it was.
pub fn a_pointer_takes_a_box_along<const D: usize>(solver: &str) {
    let v = vector::<D>;
    let (low, high) = (-0.1, 0.1);
    let z = |z: f64| if D == 3 { format!(", {z:?}") } else { String::new() };
    let block = |x: f64, half: f64| {
        let (min, max) = (x - half, x + half);
        format!(
            "shape.block = {{ min = [{min:?}, {low:?}{}], max = [{max:?}, {high:?}{}] }}",
            z(low),
            z(high)
        )
    };
    let text = format!(
        "dim = {D}\nspacing = 0.05\nrest_density = 1000.0\ngravity = {}\nrun.end_time = 1.0\n\
         [[fluid]]\n{}\n[[body]]\n{}\ndensity = 600.0\n[[body]]\n{}\ndensity = 600.0\nvelocity = {}\n\
         [[command]]\npush = {{ radius = 0.2, rate = 300.0, path = [{{ time = 0.0, position = {} }}, {{ time = 0.5, position = {} }}] }}\n\
         [solver]\nname = \"{NAME}\"\n{solver}\n",
        v([0.0, 0.0]),
        block(-3.0, 0.1),
        block(0.0, 0.15),
        block(3.0, 0.15),
        v([1.0, 0.0]),
        v([0.2, 0.15]),
        v([1.2, 0.15]),
    );
    let mut sim = simulation::<D>(&text);
    let energy = |sim: &Simulation<D>| {
        let body = &sim.state.bodies.list[0];
        let v: [f64; D] = std::array::from_fn(|a| body.velocity()[a] - if a == 0 { 2.0 } else { 0.0 });
        let turning: f64 = (0..3).map(|a| body.angular_velocity()[a] * body.angular_momentum[a]).sum();
        0.5 * (body.form.mass * norm(&v).powi(2) + turning)
    };
    let mut before = energy(&sim);
    while sim.state.t < 0.5 {
        sim.step(0.5).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let now = energy(&sim);
        assert!(now <= before * (1.0 + 1e-12), "{now} J after {before} J at {} s\n{text}", sim.state.t);
        before = now;
    }
    let body = &sim.state.bodies.list[0];
    assert!(
        (1.2 - body.x[0]).hypot(0.15 - body.x[1]) < 0.2 + body.form.reach,
        "left behind: {:?}\n{text}",
        body.x
    );
    let far = &sim.state.bodies.list[1];
    assert_eq!((far.velocity()[0], far.angular_momentum), (1.0, [0.0; 3]), "{text}");
}

fn hash_after<const D: usize>(text: &str, steps: u64, threads: usize) -> u64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut sim = simulation::<D>(text);
        sim.run(10.0, steps, &mut []).expect("a healthy run");
        sim.state.hash()
    })
}

/// Checks that a busy tank has the same bits after so many steps, in 2D and 3D, on any number of threads.
pub fn threads_change_no_bit(solver: &str, steps: [u64; 2]) {
    let hashes = |threads| {
        let (plane, space) = (busy::<2>(solver, ""), busy::<3>(solver, ""));
        (hash_after::<2>(&plane, steps[0], threads), hash_after::<3>(&space, steps[1], threads))
    };
    let expected = hashes(1);
    for threads in [2, 3, 7] {
        assert_eq!(hashes(threads), expected, "{solver} on {threads} threads");
    }
}

/// N steps, a checkpoint, a restart and N steps are 2N steps.
pub fn restarts<const D: usize>(text: &str, at: &[u64]) {
    for &n in at {
        let mut run = simulation::<D>(text);
        run.run(10.0, n, &mut []).expect("a healthy run");
        let bytes = save(&mut run);
        run.run(10.0, 2 * n, &mut []).expect("a healthy run");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1 + n as usize % 3).build().unwrap();
        pool.install(|| {
            let mut again = load::<D>(text, &bytes);
            assert_eq!(save(&mut again), bytes, "saved again after {n} steps");
            again.run(10.0, 2 * n, &mut []).expect("a healthy run");
            assert_eq!(again.state.hash(), run.state.hash(), "{n} + {n} steps\n{text}");
            assert_eq!(again.state.bodies.list, run.state.bodies.list);
        });
    }
}

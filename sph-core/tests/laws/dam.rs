//! A right scene with something of everything.

/// Its text.
pub const DAM: &str = r#"title = "Dam break"
spacing = 0.01
mass_mode.factor = 0.8

[domain]
min = [-1.0, -1.0]
max = [3.0, 3.0]

[run]
end_time = 1
threads = 2

[[fluid]]
shape.block = { min = [0.0, 0], max = [0.5, 1.0] }
lattice = "hexagonal"
velocity.linear = { matrix = [[1, 0], [0, -1]], center = [0, 0] }
[fluid.pressure.hydrostatic]
surface = 1.0

[[wall]]
shape.block = { min = [0.0, 0.0], max = [2.0, 1.5] }
faces = ["x_min", "x_max", "y_min"]
surface_velocity = [{ face = "y_min", velocity = [1.0, 0.0] }]

[[wall]]
shape.disc = { center = [1.5, 0.5], radius = 0.1 }
side = "outside"
motion.rotation = { center = [1.5, 0.5], angular_velocity = 2.0 }

[[container]]
shape.outside.disc = { center = [1.0, 1.0], radius = 0.2 }
friction = 0.5

[solver]
name = "wcsph"
cfl = 0.3
"#;

//! Commands, their options and exit codes.

#[cfg(feature = "mesh")]
use crate::output::mesh;
#[cfg(not(feature = "mesh"))]
use crate::program::call;
use crate::{
    campaigns::{self, CasesArgs, ReportArgs, ScoreArgs},
    devices, kernels, list,
    output::picture,
    program::{
        crew::Crew,
        print::{note, out},
        scene::SceneArgs,
    },
    run,
    studies::{bench, device_check, parity, soak},
    view,
};
use bench_suite::system::{
    processor::{Choice, Processor},
    ranks::{self, Ranks},
};
use clap::{Parser, Subcommand};
use sph_core::numerics::lane::Isa;
#[cfg(not(feature = "mesh"))]
use std::ffi::OsString;
use std::{error::Error, path::PathBuf, process::ExitCode, time::Duration};

/// Compares particle-fluid solvers with published experiments.
#[derive(Debug, Parser)]
#[command(
    name = "sph",
    version,
    after_help = "\
Examples:
  sph compare                    the report: which method for what, in minutes
  sph compare --quick            the same in seconds
  sph validate --case column     published numbers, met or missed
  sph run bench-suite/scenes/dam_break_2d.toml
  sph view                       the same, live, in a browser
  sph list                       cases, variants, solvers and scenes
  sph list --parameters          every key of a scene: unit, range, default, meaning
  sph devices                    the GPUs that steps can run on, or why none can be used
  sph parity SCENE --backend cuda
                                 differences between steps on a GPU and on the cpu
  sph device-check --only parity all checks that need a GPU, one section at a time
  sph run SCENE --backend cuda   the same scene on a GPU; --backend auto: on one if there is one

Exit codes: 0 done; 1 a run failed, a line says MISSED, or results could not be written; 2 bad input, nothing was done;
130 interrupted, by Ctrl-C, a hang-up or a request to terminate."
)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
    /// Threads; all of the machine if left out. The results do not depend on it.
    #[arg(long, global = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Instruction set: sse2, avx2, avx512, mixed (portable elsewhere); the best if left out. The results do not depend on it.
    #[arg(long, global = true, env = "SPH_ISA")]
    isa: Option<Isa>,
    /// Where steps run: cpu, cuda or cuda:N (that GPU and no other), auto (the first GPU, else the cpu); with the
    /// feature `host` also emulator (the kernels of a GPU, executed on the processor).
    #[arg(long, global = true, env = "SPH_BACKEND", default_value_t, value_name = "BACKEND")]
    backend: Choice,
    /// Ranks among which particles are shared out, each with its own threads. The results do not depend on it.
    #[arg(long, global = true, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    ranks: u16,
    /// How long a rank may leave others waiting in a step before it is given up and the run ends, `[s]`.
    #[arg(long, global = true, default_value_t = 600, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    rank_timeout: u32,
    /// Prints results as JSON instead of text.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Lists cases, variants, solvers and scenes.
    #[command(after_help = "\
Examples:
  sph list
  sph list --parameters          every key of a scene: unit, range, default, meaning
  sph list --json")]
    List {
        /// Every parameter of scenes and solvers instead.
        #[arg(long)]
        parameters: bool,
    },
    /// Lists the GPUs that steps can run on, or says why none can be used.
    #[command(after_help = "\
Examples:
  sph devices
  sph devices --json")]
    Devices,
    /// Runs a scene file: a report, results.json, and final.vtu for ParaView.
    #[command(after_help = "\
Examples:
  sph run bench-suite/scenes/dam_break_2d.toml
  sph run bench-suite/scenes/cube.toml --out results/cube --threads 4
  sph run bench-suite/scenes/dam_break_2d.toml --format vtu,npz --frames-every 50
  sph run bench-suite/scenes/cube.toml --out results/cube --checkpoint-every 500
  sph run bench-suite/scenes/cube.toml --out results/cube --checkpoint-every 500 --resume")]
    Run(run::RunArgs),
    /// Serves a live page on this machine: methods side by side, touched, rewound, and stepped phase by phase.
    #[command(after_help = "\
Examples:
  sph view                       then open http://127.0.0.1:8787/
  sph view my-scene.toml --open
  sph view --port 0 --most-particles 50000

Ctrl-C ends it. Everything that is done by hand can be kept as a script, which `sph run --script` repeats to the last bit.")]
    View(view::ViewArgs),
    /// Draws frames of a run as PNG: discs in 2D, lit spheres in 3D.
    #[command(after_help = "\
Examples:
  sph picture results/run
  sph picture results/run/final.vtu --color-by pressure --range 0,10000 --size 1920x1080")]
    Picture(picture::PictureArgs),
    /// Extracts the surface of the fluid from frames of a 3D run, as PLY.
    #[cfg(feature = "mesh")]
    #[command(after_help = "Example: sph mesh results/run --cube 0.5")]
    Mesh(mesh::MeshArgs),
    /// Extracts the surface of the fluid from frames of a 3D run: not in this program, it says how to get it.
    #[cfg(not(feature = "mesh"))]
    #[command(after_help = "Example: cargo run --release --features mesh -- mesh results/run --cube 0.5")]
    Mesh {
        /// What it would be told.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Runs methods side by side and writes a report.
    ///
    /// Ends with 1 when a run failed or a band was missed: bands are judged at every resolution, and coarse runs and
    /// variants that are there for contrast miss some.
    #[command(after_help = "\
Examples:
  sph compare --case dam_break --variant wcsph-delta --out results/delta
  sph compare --case taylor_green --variant projection --set solver.support_ratio=2,2.5,3
                                 error and time over a key; two --set give a grid")]
    Compare {
        /// Seconds instead of minutes: taylor_green at 12, 18 and 27 particles across, column at 10 and 16, dam_break at 16
        /// and 24. Without it taylor_green at 24, 36, 54 and 81, poiseuille at 25, 30, 40 and 50, standing_wave at 10, 15, 22
        /// and 33, elliptical_drop at 8, 12, 18, 27 and 40, oscillating_drop at 10, 15, 22 and 33, column at 15, 22, 33 and 50,
        /// dam_break at 20, 40 and 80.
        #[arg(long, conflicts_with = "full")]
        quick: bool,
        /// For publication: taylor_green and taylor_green_jittered at 24, 36, 54, 81 and 122, taylor_green_3d_re10 and
        /// taylor_green_3d_re100 at 16, 24, 32 and 48, poiseuille and couette at 25, 30, 40, 50 and 75, standing_wave at 10,
        /// 15, 22, 33 and 50, elliptical_drop at 8, 12, 18, 27, 40 and 60, oscillating_drop at 10, 15, 22, 33 and 50,
        /// oscillating_spheroid at 8, 12 and 16, column at 15, 22, 33, 50 and 75, column_3d at 10, 15, 22 and 33, cavity at 25,
        /// 50 and 75, dam_break at 20, 40, 80 and 160, dam_break_square and dam_break_square_friction at 40 and 80,
        /// stretched_bar and stretched_bar_plastic at 8 and 16.
        #[arg(long)]
        full: bool,
        #[command(flatten)]
        which: CasesArgs,
        /// Only these variants.
        #[arg(long = "variant")]
        variants: Vec<String>,
        /// Folder for the report.
        #[arg(long, short, default_value = "results/compare")]
        out: PathBuf,
    },
    /// Runs every case at the resolution of its bands and says which are met.
    #[command(after_help = "\
Examples:
  sph validate --case column --case dam_break
  sph validate --case bench-suite/cases/gate_force   a folder: scene, tables and bands")]
    Validate {
        #[command(flatten)]
        which: CasesArgs,
        /// Folder for the report.
        #[arg(long, short, default_value = "results/validate")]
        out: PathBuf,
    },
    /// Scores frames of any program by the measures and bands of a case.
    ///
    /// A frame is a file .npz, .csv, .vtu or .vtp, with the time t, positions x and the velocity, and the density and the pressure
    /// where there are such: names and units as in frames of `sph run`, in VTK's files also those of other programs, as Vel and Rhop.
    #[command(after_help = "\
Examples:
  sph score dam_break_pressure frames --label DualSPHysics --across 60
  sph score my-case frames --out results/scored")]
    Score(ScoreArgs),
    /// Checks a GPU, each section in under eight minutes: parity, bits, times of steps and kernels, variants, sanitizers.
    #[command(after_help = "\
Examples:
  sph device-check --only parity --out results/device-check
  sph device-check --dry-run --out results/rehearsal")]
    DeviceCheck(device_check::DeviceCheckArgs),
    /// Compiles all kernels for machines without NVRTC, into a folder that SPH_KERNEL_AHEAD names there.
    #[command(after_help = "\
Examples:
  sph kernels carried
  sph kernels carried --arch sm_90 --variant strict --variant direct")]
    Kernels(kernels::KernelsArgs),
    /// Runs a scene on the cpu and on another backend, and compares them particle by particle.
    #[command(after_help = "\
Examples:
  sph parity bench-suite/scenes/dam_break_2d.toml --backend cuda
  sph parity bench-suite/scenes/dam_break_2d.toml --backend cuda:1 --steps 1,1000 --json")]
    Parity {
        #[command(flatten)]
        scene: SceneArgs,
        /// Numbers of steps after which both are compared.
        #[arg(long, value_delimiter = ',', default_value = "1,10,100", value_parser = clap::value_parser!(u64).range(1..))]
        steps: Vec<u64>,
    },
    /// Writes a report again from its results.json, joins several, or says what changed since another.
    #[command(after_help = "\
Examples:
  sph report results/compare
  sph report results/compare results/score --out results/joined     other programs in the same plots
  sph report results/compare --against results/before")]
    Report(ReportArgs),
    /// Runs a column of water at rest for a long time: exits with 1 when energy, memory or open files grow.
    #[command(after_help = "Example: sph soak --steps 100000 --particles 20000")]
    Soak {
        /// Time steps.
        #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
        steps: u64,
        /// Fluid particles, about.
        #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(100..=100_000_000))]
        particles: u64,
        /// Folder for the series, the figures and the page of the book.
        #[arg(long, short, default_value = "results/soak")]
        out: PathBuf,
    },
    /// Prints the JSON schema of scene files, for editors.
    #[command(after_help = "Example: sph schema > bench-suite/scenes/scene.schema.json")]
    Schema,
    /// Times steps.
    #[command(after_help = "Example: sph bench step --m 29 --steps 60 --json")]
    Bench {
        #[command(subcommand)]
        what: bench::Bench,
    },
}

/// Does what the arguments say.
pub fn execute(args: &Args) -> Result<ExitCode, Box<dyn Error + Send + Sync>> {
    let mut pool = rayon::ThreadPoolBuilder::new();
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    let ranks = usize::from(args.ranks).max(ranks::on_this_machine());
    let shared = (ranks > 1).then(|| (all() / ranks).max(1));
    if let Some(threads) = args.threads.map(usize::from).or(shared) {
        pool = pool.num_threads(threads);
    }
    // Steps run inside the pool: a call from outside would cost a wake-up for every phase.
    let pool = pool.build()?;
    let isa = args.isa.unwrap_or_else(Isa::best);
    let crew = Crew::gather(args.ranks.into(), Duration::from_secs(args.rank_timeout.into()))?;
    pool.install(|| crew.work(isa, args.threads.is_some(), |ranks| dispatch(args, isa, ranks)))
}

fn dispatch(args: &Args, isa: Isa, ranks: &Ranks) -> Result<ExitCode, Box<dyn Error + Send + Sync>> {
    let open = || -> Result<Processor, Box<dyn Error + Send + Sync>> {
        let processor = Processor { ranks: ranks.clone(), ..Processor::open(args.backend, isa)? };
        if ranks.count() > 1 && !processor.backend.is_cpu() {
            return Err(format!("--backend {}: ranks have no GPU yet; use cpu", args.backend).into());
        }
        if let Some(note) = &processor.note {
            note!("{note}");
        }
        Ok(processor)
    };
    match &args.command {
        Command::List { parameters: false } => list::all(args.json),
        Command::List { parameters: true } => list::parameters(args.json),
        Command::Devices => devices::devices(args.json),
        Command::Run(scene) => run::run(scene, args.threads, &open()?, args.json),
        Command::View(_) if ranks.count() > 1 => {
            Err("view: a page has several runs at a time, and ranks have one: leave --ranks out".into())
        }
        Command::View(args) => view::run(args, open()?),
        Command::Picture(args) => picture::run(args),
        #[cfg(feature = "mesh")]
        Command::Mesh(args) => mesh::run(args),
        #[cfg(not(feature = "mesh"))]
        Command::Mesh { arguments: _ } => Err(format!(
            "this program was built without surfaces; build and run it with them: cargo run --release --features mesh -- {}",
            call::arguments()
        )
        .into()),
        Command::Compare { quick, full, which, variants, out } => {
            let effort = campaigns::effort(*quick, *full);
            campaigns::compare(effort, which, variants, out, &open()?, args.json)
        }
        Command::Validate { which, out } => campaigns::validate(which, out, &open()?, args.json),
        Command::Score(score) => campaigns::score(score, args.json),
        Command::DeviceCheck(check) => device_check::run(check, args.backend, args.json),
        Command::Kernels(kernels) => kernels::run(kernels, args.json),
        Command::Parity { scene, steps } => parity::parity(scene, steps, &open()?, args.json),
        Command::Report(report) => campaigns::report(report),
        Command::Soak { steps, particles, out } => soak::soak(*steps, *particles, out, &open()?, args.json),
        Command::Schema => {
            out!("{}", bench_suite::scenes::schema::scene_schema()?.trim_end());
            Ok(ExitCode::SUCCESS)
        }
        Command::Bench { what } => bench::run(what, &open()?, args.json),
    }
}

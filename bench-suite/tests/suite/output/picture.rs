use bench_suite::output::picture::*;
use sph_core::Real;

fn decode(bytes: &[u8]) -> (u32, u32, Vec<Rgb>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut buffer = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut buffer).unwrap();
    (info.width, info.height, buffer.chunks_exact(3).map(|rgb| [rgb[0], rgb[1], rgb[2]]).collect())
}

fn has(pixels: &[Rgb], near: impl Fn(Rgb) -> bool) -> bool {
    pixels.iter().any(|pixel| near(*pixel))
}

/// A broken dam in a tank: coordinates of fluid and walls, and speeds.
type Dam<const D: usize> = ([Vec<Real>; D], Vec<Real>, [Vec<Real>; D]);

fn dam<const D: usize>(n: usize) -> Dam<D> {
    let (mut fluid, mut walls) = (std::array::from_fn(|_| Vec::new()), std::array::from_fn(|_| Vec::new()));
    let mut speeds = Vec::new();
    let up = D - 1;
    let n_deep = if D == 3 { n } else { 1 };
    for index in 0..(4 * n) * n_deep * (2 * n) {
        let mut cell = [index % (4 * n), 0, 0];
        if D == 3 {
            cell[1] = index / (4 * n) % n_deep;
        }
        cell[up] = index / (4 * n * n_deep);
        let inner = |d: usize, size: usize| cell[d] > 1 && cell[d] < size - 2;
        let is_wall = !inner(0, 4 * n) || cell[up] < 2 || (D == 3 && !inner(1, n_deep));
        let place = cell.map(|i| (i as f64 + 0.5) / n as f64);
        let height = 1.6 * (1.0 - place[0] / 3.6).max(0.05);
        if is_wall {
            (0..D).for_each(|d| walls[d].push(place[d] as Real));
        } else if place[up] < height {
            (0..D).for_each(|d| fluid[d].push(place[d] as Real));
            speeds.push((1.1 * place[0]) as Real);
        }
    }
    (fluid, speeds, walls)
}

fn picture<const D: usize>(n: usize, style: &Style<'_>) -> Vec<u8> {
    let (fluid, speeds, walls) = dam::<D>(n);
    let cloud: Cloud<'_, D> = Cloud {
        fluid: std::array::from_fn(|d| &fluid[d][..]),
        values: &speeds,
        walls: std::array::from_fn(|d| &walls[d][..]),
        spacing: 1.0 / n as f64,
        bounds: None,
    };
    let bytes = draw(&cloud, style).unwrap();
    if let Ok(folder) = std::env::var("SPH_KEEP_PICTURES") {
        std::fs::write(format!("{folder}/dam-{D}d-{}.png", style.width), &bytes).unwrap();
    }
    bytes
}

#[test]
fn colors_run_from_blue_over_yellow_to_red() {
    let scale = Scale::linear("pressure", "Pa", 0.0, 10.0);
    assert_eq!([scale.color(-1.0), scale.color(5.0), scale.color(11.0)], [BLUE, YELLOW, RED]);
    assert_eq!(scale.color(f64::NAN), [0, 0, 0]);
    let speed = Scale::speed(2.0);
    assert_eq!(speed.place(0.0), 0.0);
    assert!((speed.place(1.0) - 0.5).abs() < 0.02 && speed.place(2.0) > 0.97);
    assert!((0..20).all(|i| speed.place(0.1 * f64::from(i)) < speed.place(0.1 * f64::from(i + 1))));
}

#[test]
fn a_dam_in_the_plane_shows_fluid_walls_and_text() {
    let style = Style::new(600, 400, "WCSPH, Wendland C2, η=3, δ-SPH, t = 0.35 s", Scale::speed(3.0));
    let (width, height, pixels) = decode(&picture::<2>(40, &style));
    assert_eq!((width, height), (600, 400));
    assert!(has(&pixels, |p| p == WALL) && has(&pixels, |p| p == INK) && has(&pixels, |p| p == [255; 3]));
    let middle = &pixels[600 * 40..600 * 340];
    assert!(has(middle, |[r, _, b]| b > 150 && r < 80) && has(middle, |[r, _, b]| r > 180 && b < 80));
}

#[test]
fn a_dam_in_space_is_lit_and_its_tank_open() {
    let style = Style::new(1200, 800, "Dam break in 3D", Scale::speed(3.0));
    let (_, _, pixels) = decode(&picture::<3>(24, &style));
    let middle = &pixels[1200 * 60..1200 * 700];
    assert!(has(middle, |[r, _, b]| b > 120 && r < 80) && has(middle, |[r, _, b]| r > 150 && b < 80));
    assert!(has(middle, |[r, g, b]| r.abs_diff(g) < 10 && g.abs_diff(b) < 12 && (60..180).contains(&r)));
}

#[test]
fn bounds_hold_the_view_still() {
    let at = |x: Real| {
        let cloud = Cloud {
            fluid: [&[x][..], &[0.5][..]],
            values: &[0.0],
            walls: [&[][..], &[][..]],
            spacing: 0.1,
            bounds: Some(([0.0, 0.0], [1.0, 1.0])),
        };
        let (_, _, pixels) = decode(&draw(&cloud, &Style::new(300, 300, "", Scale::speed(1.0))).unwrap());
        pixels[300 * 40..300 * 240].iter().position(|pixel| *pixel == BLUE).unwrap() % 300
    };
    assert!(at(0.9) > at(0.1) + 100);
}

#[test]
fn odd_input_is_an_error_or_left_out() {
    let nan = [Real::NAN, 0.5];
    let cloud = |values| Cloud {
        fluid: [&nan[..], &nan[..]],
        values,
        walls: [&[][..]; 2],
        spacing: 0.1,
        bounds: None,
    };
    let style = Style::new(300, 300, "", Scale::speed(1.0));
    assert!(draw(&cloud(&[1.0, 2.0]), &style).is_ok());
    assert!(matches!(draw(&cloud(&[1.0]), &style), Err(PictureError::Length { found: 1, expected: 2, .. })));
    let small = Style { width: 10, ..style };
    assert!(matches!(draw(&cloud(&[1.0, 2.0]), &small), Err(PictureError::Size { .. })));
    let none = Cloud { fluid: [&[][..]; 3], values: &[], walls: [&[][..]; 3], spacing: 0.1, bounds: None };
    assert!(draw(&none, &style).is_ok());
}

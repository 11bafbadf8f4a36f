// The camera: an orbit about a point in 3D, a shifted and scaled plane in 2D. Axis 1 points up.

/** Vertical angle of view in 3D, rad. */
const VIEW_ANGLE = (35 * Math.PI) / 180;
const FIRST_YAW = -0.5;
const FIRST_PITCH = 0.32;
/** Space around everything at first. */
const MARGIN = 1.06;

const add = (a, b) => a.map((v, i) => v + b[i]);
const scale = (a, s) => a.map((v) => v * s);
const dot = (a, b) => a.reduce((sum, v, i) => sum + v * b[i], 0);
const clamp = (v, low, high) => Math.min(Math.max(v, low), high);

/** A camera of a pane, or of all panes of one dimension. */
export class Camera {
  /**
   * @param {number} dim
   * @param {number[]} low
   * @param {number[]} high the box that it shows at first, m
   */
  constructor(dim, low, high) {
    this.dim = dim;
    this.setBox(low, high);
    this.reset();
  }

  /** A camera of its own with the same view. */
  copy() {
    return Object.assign(new Camera(this.dim, this.low, this.high), { ...this, target: [...this.target] });
  }

  /** Another box to show; the view moves with its middle, and is else the user's. */
  setBox(low, high) {
    const full = (x) => [x[0], x[1], x[2] ?? 0];
    const before = this.center;
    this.low = full(low);
    this.high = full(high);
    this.center = scale(add(this.low, this.high), 0.5);
    this.half = scale(add(this.high, scale(this.low, -1)), 0.5);
    if (before) this.target = add(this.target, add(this.center, scale(before, -1)));
  }

  /** Shows everything. */
  reset() {
    this.target = [...this.center];
    this.zoom = 1;
    this.yaw = FIRST_YAW;
    this.pitch = FIRST_PITCH;
  }

  /** Right, up and backward of the view, in the world. */
  axes(yaw = this.yaw, pitch = this.pitch) {
    if (this.dim === 2)
      return [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
      ];
    const [sy, cy, sp, cp] = [Math.sin(yaw), Math.cos(yaw), Math.sin(pitch), Math.cos(pitch)];
    return [
      [cy, 0, -sy],
      [-sp * sy, cp, -sp * cy],
      [cp * sy, sp, cp * cy],
    ];
  }

  /** Height of what is seen at the target, m. */
  visibleHeight(aspect) {
    const [w, h] = this.half;
    if (this.dim === 2) return (2 * MARGIN * Math.max(h, w / aspect, 1e-9)) / this.zoom;
    return 2 * Math.tan(VIEW_ANGLE / 2) * this.distance(aspect);
  }

  /** Distance of the eye from the target, m: from it all corners of the box are seen at first. */
  distance(aspect) {
    const tangents = [Math.tan(VIEW_ANGLE / 2) * aspect, Math.tan(VIEW_ANGLE / 2)];
    const [right, up, back] = this.axes(FIRST_YAW, FIRST_PITCH);
    let most = 1e-9;
    for (let corner = 0; corner < 8; corner += 1) {
      const x = this.half.map((half, a) => ((corner >> a) & 1 ? half : -half));
      const sides = Math.max(Math.abs(dot(x, right)) / tangents[0], Math.abs(dot(x, up)) / tangents[1]);
      most = Math.max(most, MARGIN * sides + dot(x, back));
    }
    return most / this.zoom;
  }

  /** View and projection, column by column, and the eye. */
  matrices(aspect) {
    const [right, up, back] = this.axes();
    const distance = this.dim === 2 ? 1 : this.distance(aspect);
    const eye = add(this.target, scale(back, distance));
    const view = new Float32Array([
      right[0],
      up[0],
      back[0],
      0,
      right[1],
      up[1],
      back[1],
      0,
      right[2],
      up[2],
      back[2],
      0,
      -dot(right, eye),
      -dot(up, eye),
      -dot(back, eye),
      1,
    ]);
    return { view, projection: this.projection(aspect, distance), eye };
  }

  projection(aspect, distance) {
    if (this.dim === 2) {
      const y = 2 / this.visibleHeight(aspect);
      return new Float32Array([y / aspect, 0, 0, 0, 0, y, 0, 0, 0, 0, -0.5, 0, 0, 0, 0, 1]);
    }
    const size = Math.hypot(...this.half);
    const far = distance + 4 * size;
    const near = Math.max(distance - 4 * size, 0.01 * distance);
    const y = 1 / Math.tan(VIEW_ANGLE / 2);
    const z = (far + near) / (near - far);
    return new Float32Array([y / aspect, 0, 0, 0, 0, y, 0, 0, 0, 0, z, -1, 0, 0, (2 * far * near) / (near - far), 0]);
  }

  /**
   * The ray under a point of the picture.
   * @param {number} x from the left, in widths
   * @param {number} y from the top, in heights
   * @returns {{origin: number[], direction: number[]}} direction of length 1
   */
  ray(x, y, aspect) {
    const [right, up, back] = this.axes();
    const height = this.visibleHeight(aspect);
    const side = add(scale(right, (x - 0.5) * height * aspect), scale(up, (0.5 - y) * height));
    const place = add(this.target, side);
    if (this.dim === 2) return { origin: [place[0], place[1], 1], direction: [0, 0, -1] };
    const eye = add(this.target, scale(back, this.distance(aspect)));
    const direction = add(place, scale(eye, -1));
    return { origin: eye, direction: scale(direction, 1 / Math.hypot(...direction)) };
  }

  /** Where a ray meets the plane through `point` that faces the camera. */
  onPlane({ origin, direction }, point) {
    const back = this.axes()[2];
    const along = dot(add(point, scale(origin, -1)), back) / dot(direction, back);
    return add(origin, scale(direction, along));
  }

  /** Shifts the picture, in its heights. */
  shift(dx, dy, aspect) {
    const [right, up] = this.axes();
    const height = this.visibleHeight(aspect);
    this.target = add(this.target, add(scale(right, -dx * height), scale(up, dy * height)));
  }

  /** Turns about the target, rad. */
  turn(yaw, pitch) {
    this.yaw += yaw;
    this.pitch = clamp(this.pitch + pitch, -1.5, 1.5);
  }

  /** Zooms; in 2D the point (x, y) of the picture stays where it is. */
  zoomBy(factor, x, y, aspect) {
    const before = this.ray(x, y, aspect).origin;
    this.zoom = clamp(this.zoom * factor, 0.1, 200);
    if (this.dim !== 2) return;
    const after = this.ray(x, y, aspect).origin;
    this.target = add(this.target, add(before, scale(after, -1)));
  }
}

// Draws a pane with WebGL2: particles, walls and lines, each in one call.

import { table } from './colors.js';
import { DISC_FRAGMENT, LINE_FRAGMENT, LINE_VERTEX, PARTICLE_VERTEX, SPHERE_FRAGMENT } from './shaders.js';

/** Numbers of a segment: two ends and a color. */
const SEGMENT = 10;

const VERSION = '#version 300 es\n';

function shader(gl, kind, source) {
  const made = gl.createShader(kind);
  gl.shaderSource(made, source);
  gl.compileShader(made);
  if (!gl.getShaderParameter(made, gl.COMPILE_STATUS) && !gl.isContextLost())
    throw new Error(gl.getShaderInfoLog(made));
  return made;
}

/** A program with its uniforms by name; attributes get the places of `names`. */
function program(gl, vertex, fragment, names) {
  const made = gl.createProgram();
  gl.attachShader(made, shader(gl, gl.VERTEX_SHADER, vertex));
  gl.attachShader(made, shader(gl, gl.FRAGMENT_SHADER, fragment));
  names.forEach((name, place) => gl.bindAttribLocation(made, place, name));
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(gl.getProgramInfoLog(made));
  const uniforms = {};
  const count = gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS) ?? 0;
  for (let i = 0; i < count; i += 1) {
    const { name } = gl.getActiveUniform(made, i);
    uniforms[name] = gl.getUniformLocation(made, name);
  }
  return { made, uniforms };
}

const full = (x) => [x[0], x[1], x[2] ?? 0];

/** True for an eye outside of a box, if there is one. */
const isOutside = (eye, box) => Boolean(box) && eye.some((x, a) => x < box.low[a] || x > box.high[a]);

/** What draws on one canvas. */
export class Renderer {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {() => void} restored called when a lost context is back, and everything must be drawn again
   */
  constructor(canvas, restored) {
    this.canvas = canvas;
    // No antialiasing: discs smooth their own edge, and spheres are many.
    this.gl = canvas.getContext('webgl2', { antialias: false, alpha: false, powerPreference: 'low-power' });
    if (!this.gl) return;
    canvas.addEventListener('webglcontextlost', (event) => event.preventDefault());
    canvas.addEventListener('webglcontextrestored', () => {
      this.build();
      restored();
    });
    this.build();
  }

  /** Whether the processor does the work of a GPU. */
  get isSoftware() {
    const { gl } = this;
    const info = gl?.getExtension('WEBGL_debug_renderer_info');
    return Boolean(info) && /swiftshader|llvmpipe|softpipe|software|basic render/i.test(gl.getParameter(info.UNMASKED_RENDERER_WEBGL));
  }

  /** Whether the browser has WebGL2. */
  get works() {
    return Boolean(this.gl);
  }

  build() {
    const { gl } = this;
    const particles = ['a_place', 'a_value'];
    this.programs = {
      disc: program(gl, PARTICLE_VERTEX, DISC_FRAGMENT, particles),
      sphere: program(gl, PARTICLE_VERTEX, VERSION + SPHERE_FRAGMENT, particles),
      exact: program(gl, PARTICLE_VERTEX, `${VERSION}#define EXACT\n${SPHERE_FRAGMENT}`, particles),
      line: program(gl, LINE_VERTEX, LINE_FRAGMENT, ['a_from', 'a_to', 'a_tint']),
    };
    this.fluid = this.cloud();
    this.walls = this.cloud();
    this.lines = this.strip();
    this.vectors = this.strip();
    this.grid = this.strip();
    this.map = { texture: gl.createTexture(), name: '' };
  }

  /** Buffers of particles. */
  cloud() {
    const { gl } = this;
    const made = {
      array: gl.createVertexArray(),
      positions: gl.createBuffer(),
      values: gl.createBuffer(),
      indices: gl.createBuffer(),
      visible: null,
      n: 0,
      dim: 0,
    };
    return made;
  }

  /** A buffer of segments. */
  strip() {
    const { gl } = this;
    const made = { array: gl.createVertexArray(), buffer: gl.createBuffer(), n: 0 };
    gl.bindVertexArray(made.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, made.buffer);
    [3, 3, 4].forEach((size, place) => {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, size, gl.FLOAT, false, 4 * SEGMENT, 4 * [0, 3, 6][place]);
      gl.vertexAttribDivisor(place, 1);
    });
    return made;
  }

  /**
   * @param {import('./store.js').Cloud|null} cloud
   * @param {{indices: Uint32Array, low: number[], high: number[]}|null} visible those that can be seen from outside of a box
   */
  setFluid(cloud, visible) {
    const { gl, fluid } = this;
    this.load(fluid, cloud);
    fluid.visible = visible;
    if (!visible) return;
    gl.bindVertexArray(fluid.array);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, fluid.indices);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, visible.indices, gl.DYNAMIC_DRAW);
  }

  setWalls(walls) {
    this.load(this.walls, walls);
  }

  load(target, cloud) {
    const { gl } = this;
    target.n = cloud?.n ?? 0;
    if (!cloud) return;
    gl.bindVertexArray(target.array);
    this.attribute(0, target.positions, cloud.positions, cloud.dim);
    if (cloud.values) this.attribute(1, target.values, cloud.values, 1);
    const [low, high] = [full(cloud.low), full(cloud.high)];
    // The attribute is 1 at the largest number of 16 bit, which is one more than the high end.
    const span = high.map((v, a) => ((v - low[a]) * 65535) / 65534);
    Object.assign(target, { dim: cloud.dim, low, span });
  }

  attribute(place, buffer, numbers, size) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.DYNAMIC_DRAW);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, size, gl.UNSIGNED_SHORT, true, 0, 0);
  }

  /** Lines over the picture, and those of the cell grid. Ten numbers a segment. */
  setLines(which, numbers) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this[which].buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.DYNAMIC_DRAW);
    this[which].n = numbers.length / SEGMENT;
  }

  useMap(name) {
    const { gl, map } = this;
    gl.bindTexture(gl.TEXTURE_2D, map.texture);
    if (map.name === name) return;
    map.name = name;
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(table(name)));
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  }

  /** Fits the pixels to the size of the canvas on the page. Returns width over height. */
  fit() {
    const { canvas } = this;
    const density = Math.min(devicePixelRatio, 2);
    const size = [canvas.clientWidth, canvas.clientHeight].map((v) => Math.max(Math.round(v * density), 1));
    if (canvas.width !== size[0]) canvas.width = size[0];
    if (canvas.height !== size[1]) canvas.height = size[1];
    return size[0] / size[1];
  }

  /**
   * Draws everything.
   * @param {{camera: import('./camera.js').Camera, radius: number, map: string, background: number[], wall: number[],
   *   none: number[], showWalls: boolean, showVectors: boolean, exactDepth: boolean, hidesInner: boolean}} look
   */
  draw(look) {
    const { gl, canvas } = this;
    const aspect = this.fit();
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(...look.background, 1);
    gl.depthMask(true);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    const view = { ...look.camera.matrices(aspect), pixels: canvas.height / look.camera.visibleHeight(aspect) };
    if (look.camera.dim === 3) view.pixels *= look.camera.distance(aspect);
    this.useMap(look.map);
    if (look.camera.dim === 2) this.drawPlane(look, view);
    else this.drawSpace(look, view);
  }

  drawPlane(look, view) {
    const { gl } = this;
    gl.disable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    this.drawLines(this.grid, view);
    if (look.showWalls) this.drawCloud('disc', this.walls, view, { ...look, plain: [...look.wall, 1] });
    this.drawCloud('disc', this.fluid, view, look);
    if (look.showVectors) this.drawLines(this.vectors, view);
    this.drawLines(this.lines, view);
  }

  drawSpace(look, view) {
    const { gl } = this;
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
    this.drawCloud(look.exactDepth ? 'exact' : 'sphere', this.fluid, view, look);
    gl.enable(gl.BLEND);
    this.drawLines(this.grid, view);
    gl.depthMask(false);
    // Walls stand before the fluid: small and faint points let it be seen.
    if (look.showWalls)
      this.drawCloud('disc', this.walls, view, { ...look, radius: 0.2 * look.radius, plain: [...look.wall, 0.35] });
    gl.disable(gl.DEPTH_TEST);
    if (look.showVectors) this.drawLines(this.vectors, view);
    this.drawLines(this.lines, view);
  }

  drawCloud(name, cloud, view, look) {
    if (!cloud.n) return;
    const { gl } = this;
    const { made, uniforms } = this.programs[name];
    gl.useProgram(made);
    gl.uniformMatrix4fv(uniforms.u_view, false, view.view);
    gl.uniformMatrix4fv(uniforms.u_projection, false, view.projection);
    gl.uniform3fv(uniforms.u_low, cloud.low);
    gl.uniform3fv(uniforms.u_span, cloud.span);
    gl.uniform1f(uniforms.u_size, 2 * look.radius * view.pixels);
    gl.uniform1f(uniforms.u_radius ?? null, look.radius);
    gl.uniform1i(uniforms.u_perspective, look.camera.dim === 3 ? 1 : 0);
    gl.uniform1i(uniforms.u_plain, look.plain ? 1 : 0);
    gl.uniform4fv(uniforms.u_color, look.plain ?? [0, 0, 0, 1]);
    gl.uniform4f(uniforms.u_none, ...look.none, 1);
    gl.bindVertexArray(cloud.array);
    if (look.hidesInner && isOutside(view.eye, cloud.visible)) gl.drawElements(gl.POINTS, cloud.visible.indices.length, gl.UNSIGNED_INT, 0);
    else gl.drawArrays(gl.POINTS, 0, cloud.n);
  }

  drawLines(strip, view) {
    if (!strip.n) return;
    const { gl, canvas } = this;
    const { made, uniforms } = this.programs.line;
    gl.useProgram(made);
    gl.uniformMatrix4fv(uniforms.u_view, false, view.view);
    gl.uniformMatrix4fv(uniforms.u_projection, false, view.projection);
    gl.uniform2f(uniforms.u_pixel, 2 / canvas.width, 2 / canvas.height);
    gl.uniform1f(uniforms.u_width, (strip === this.grid ? 1 : 2) * Math.min(devicePixelRatio, 2));
    gl.bindVertexArray(strip.array);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, strip.n);
  }

  /** Number of pixels that are not background; to be called in the same task as `draw`. */
  litPixels(background) {
    const { gl, canvas } = this;
    const pixels = new Uint8Array(4 * canvas.width * canvas.height);
    gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    const own = background.map((c) => Math.round(255 * c));
    let lit = 0;
    for (let at = 0; at < pixels.length; at += 4) {
      if (own.some((c, i) => Math.abs(pixels[at + i] - c) > 2)) lit += 1;
    }
    return lit;
  }
}

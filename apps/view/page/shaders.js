// The shaders. Particles are points: one draw call, positions and values as the server quantized them.

/** Particles: discs in 2D, spheres in 3D. */
export const PARTICLE_VERTEX = `#version 300 es
precision highp float;
in vec3 a_place;
in float a_value;
uniform mat4 u_view;
uniform mat4 u_projection;
uniform vec3 u_low;
uniform vec3 u_span;
// Diameter in pixels at a depth of 1, or at all depths in 2D.
uniform float u_size;
uniform float u_radius;
uniform bool u_perspective;
uniform bool u_plain;
uniform vec4 u_color;
uniform vec4 u_none;
uniform sampler2D u_map;
flat out vec4 v_color;
flat out float v_size;
flat out float v_point;
flat out float v_depth;

void main() {
  vec4 eye = u_view * vec4(u_low + a_place * u_span, 1.0);
  gl_Position = u_projection * eye;
  v_depth = eye.z;
  v_size = max(u_perspective ? u_size / max(-eye.z, 1e-6) : u_size, 1.5);
  // The edge of a disc fades over a pixel.
  v_point = u_perspective ? v_size : v_size + 1.0;
  gl_PointSize = v_point;
  // The largest quantum says that there is no value.
  vec4 mapped = a_value > 0.999995 ? u_none : texelFetch(u_map, ivec2(int(a_value * 255.0 + 0.5), 0), 0);
  v_color = u_plain ? u_color : mapped;
}`;

/** A disc with a smooth edge. */
export const DISC_FRAGMENT = `#version 300 es
precision mediump float;
flat in vec4 v_color;
flat in float v_size;
flat in float v_point;
out vec4 color;

void main() {
  float r = 0.5 * v_point * length(2.0 * gl_PointCoord - 1.0);
  float alpha = clamp(0.5 * v_size + 0.5 - r, 0.0, 1.0);
  color = vec4(v_color.rgb, v_color.a * alpha);
}`;

/** A sphere, lit after Blinn and Phong from above the left shoulder; with its exact depth if EXACT. */
export const SPHERE_FRAGMENT = `precision highp float;
flat in vec4 v_color;
flat in float v_depth;
uniform mat4 u_projection;
uniform float u_radius;
out vec4 color;

const vec3 LIGHT = vec3(-0.41, 0.66, 0.63);
// Halfway between the light and the eye, which is far along z.
const vec3 HALFWAY = vec3(-0.227, 0.366, 0.902);

void main() {
  vec2 side = vec2(2.0, -2.0) * gl_PointCoord + vec2(-1.0, 1.0);
  float r2 = dot(side, side);
  if (r2 > 1.0) discard;
  vec3 normal = vec3(side, sqrt(1.0 - r2));
  float diffuse = max(dot(normal, LIGHT), 0.0);
  float shine = max(dot(normal, HALFWAY), 0.0);
  shine *= shine;
  shine *= shine;
  shine *= shine;
  shine *= shine;
  shine *= shine;
  color = vec4(v_color.rgb * (0.34 + 0.72 * diffuse) + 0.25 * shine, v_color.a);
#ifdef EXACT
  float z = v_depth + normal.z * u_radius;
  float clip = (u_projection[2][2] * z + u_projection[3][2]) / -z;
  gl_FragDepth = 0.5 * clip + 0.5;
#endif
}`;

/** Lines: an instance is a segment, drawn as a strip of constant width in pixels. */
export const LINE_VERTEX = `#version 300 es
precision highp float;
in vec3 a_from;
in vec3 a_to;
in vec4 a_tint;
uniform mat4 u_view;
uniform mat4 u_projection;
// Width of a pixel in clip space, and of the line in pixels.
uniform vec2 u_pixel;
uniform float u_width;
out vec4 v_color;

void main() {
  vec4 from = u_projection * (u_view * vec4(a_from, 1.0));
  vec4 to = u_projection * (u_view * vec4(a_to, 1.0));
  vec2 way = (to.xy / to.w - from.xy / from.w) / u_pixel;
  vec2 across = normalize(vec2(-way.y, way.x) + vec2(1e-9, 0.0)) * u_pixel * u_width;
  vec4 end = gl_VertexID < 2 ? from : to;
  float side = (gl_VertexID & 1) == 0 ? -0.5 : 0.5;
  gl_Position = end + vec4(across * side * end.w, 0.0, 0.0);
  v_color = a_tint;
}`;

export const LINE_FRAGMENT = `#version 300 es
precision mediump float;
in vec4 v_color;
out vec4 color;

void main() {
  color = v_color;
}`;

// Draws the points of a file with WebGL, and finds the point under a finger.
const vertex = `#version 300 es
precision highp float;
in vec3 place; in vec3 paint;
uniform vec3 middle; uniform float scale; uniform float pivot; uniform mat4 view; uniform float size; uniform float turned; uniform bool hasColors; uniform vec2 heights;
out vec3 color;
vec3 spectrum(float part) { float at = part * 4.; return clamp(vec3(2. - at, min(at, 4. - at), at - 2.), 0., 1.); }
void main() {
  vec3 at = (place - middle) * scale * vec3(1., turned, turned) - vec3(0., 0., pivot);
  gl_Position = view * vec4(at, 1.);
  gl_PointSize = clamp(size * pivot / gl_Position.w, 1., 24.);
  // Without colours they have those of heights.
  color = hasColors ? paint : spectrum((place.y - heights.x) / max(1e-6, heights.y - heights.x));
}`;

export function compile(gl, ...texts) {
  const program = gl.createProgram();
  for (const [index, text] of texts.entries()) {
    const shader = gl.createShader(index ? gl.FRAGMENT_SHADER : gl.VERTEX_SHADER);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  return program;
}

// Parses a file's points: the counts sent and in the file, the positions (y up) and the colours.
export function parsePoints(buffer) {
  const [count, total, flags] = new Uint32Array(buffer, 0, 3);
  const places = new Float32Array(buffer, 16, 3 * count);
  const colors = flags & 1 ? new Uint8Array(buffer, 16 + 12 * count, 3 * count) : null;
  return { count, total, places, colors, isInMetres: Boolean(flags & 2) };
}

const pivot = 1.8;
export class PointSet {
  constructor(gl, fragment) {
    this.gl = gl;
    this.program = compile(gl, vertex, fragment);
    this.names = Object.fromEntries(["middle", "scale", "pivot", "view", "size", "turned", "hasColors", "heights"].map((name) => [name, gl.getUniformLocation(this.program, name)]));
    this.arrays = gl.createVertexArray();
    this.buffers = [gl.createBuffer(), gl.createBuffer()];
  }

  take(points) {
    const { gl } = this;
    this.points = points;
    // The middle 96 % of each axis, so that distant points do not make the rest small.
    const ends = [0, 1, 2].map((axis) => {
      const some = [];
      for (let index = axis; index < points.places.length; index += 3 * Math.ceil(points.count / 4000)) some.push(points.places[index]);
      some.sort((one, other) => one - other);
      return [some[Math.floor(some.length * 0.02)], some[Math.floor(some.length * 0.98)]];
    });
    this.middle = ends.map(([low, high]) => (low + high) / 2);
    this.scale = 2 / Math.max(1e-6, Math.hypot(...ends.map(([low, high]) => high - low)));
    this.heights = ends[1];
    gl.bindVertexArray(this.arrays);
    for (const [index, [name, data, kind]] of [["place", points.places, gl.FLOAT], ["paint", points.colors ?? new Uint8Array(3), gl.UNSIGNED_BYTE]].entries()) {
      const at = gl.getAttribLocation(this.program, name);
      gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[index]);
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
      if (index && !points.colors) { gl.disableVertexAttribArray(at); continue; }
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, 3, kind, index === 1, 0, 0);
    }
  }

  draw(view, size, isFlipped) {
    const { gl, names } = this;
    gl.useProgram(this.program);
    gl.bindVertexArray(this.arrays);
    gl.uniform3f(names.middle, ...this.middle);
    gl.uniform1f(names.scale, this.scale);
    gl.uniform1f(names.pivot, pivot);
    gl.uniformMatrix4fv(names.view, false, view);
    gl.uniform1f(names.size, size);
    gl.uniform1f(names.turned, isFlipped ? -1 : 1);
    gl.uniform1i(names.hasColors, this.points.colors ? 1 : 0);
    gl.uniform2f(names.heights, ...this.heights);
    gl.drawArrays(gl.POINTS, 0, this.points.count);
  }

  // Converts a position in the file to the drawn one.
  inView([x, y, z], isFlipped) {
    const turned = isFlipped ? -1 : 1;
    const [mx, my, mz] = this.middle;
    return [(x - mx) * this.scale, (y - my) * this.scale * turned, (z - mz) * this.scale * turned - pivot];
  }
}

// Finds the point nearest to the viewer within some pixels.
const reach = 10;
function nearest(count, placeAt, cloud, left, top) {
  let best = null;
  for (let index = 0; index < count; index += 1) {
    const place = placeAt(index);
    if (!place) continue;
    const [x, y, away] = cloud.project(place);
    const aside = (x - left) ** 2 + (y - top) ** 2;
    // Depth weighs less than the distance on the screen.
    const cost = away * (1 + aside / 3000);
    if (aside < reach * reach && away > 0 && (!best || cost < best.cost)) best = { index, place, cost };
  }
  return best;
}
export function pickPoint(cloud, left, top) {
  const { places, count } = cloud.points;
  return nearest(count, (index) => [places[3 * index], places[3 * index + 1], places[3 * index + 2]], cloud, left, top);
}
export function pickPixel(cloud, left, top) {
  const { width, height, values, lens: [fx, fy, cx, cy] } = cloud.map;
  const found = nearest(values.length, (index) => {
    const z = values[index] / 1000;
    if (!z) return null;
    return [((index % width + 0.5 - cx) / fx) * z, -((Math.floor(index / width) + 0.5 - cy) / fy) * z, -z];
  }, cloud, left, top);
  return found && { place: found.place, x: (found.index % width + 0.5) / width, y: (Math.floor(found.index / width) + 0.5) / height };
}

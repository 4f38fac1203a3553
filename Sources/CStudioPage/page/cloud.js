// Draws points in space with WebGL 2: a depth map with its picture, from textures, or the points of a file.
import { PointSet, compile, pickPoint, pickPixel } from "/cloud-points.js";

const vertex = `#version 300 es
precision highp float; precision highp usampler2D;
uniform usampler2D depth; uniform sampler2D picture;
uniform vec4 lens; uniform mat4 view; uniform float size; uniform vec2 range; uniform vec2 colors; uniform float mixing;
out vec3 color;
vec3 spectrum(float part) { float at = part * 4.; return clamp(vec3(2. - at, min(at, 4. - at), at - 2.), 0., 1.); }
float metres(ivec2 at) { return float(texelFetch(depth, at, 0).r) * .001; }
void main() {
  ivec2 whole = textureSize(depth, 0);
  ivec2 at = ivec2(gl_VertexID % whole.x, gl_VertexID / whole.x);
  float z = metres(at);
  float jump = 0.;
  ivec2 last = whole - 1;
  for (int i = 0; i < 4; i++) {
    ivec2 step = ivec2(i == 0 ? 1 : i == 1 ? -1 : 0, i == 2 ? 1 : i == 3 ? -1 : 0);
    float other = metres(clamp(at + step, ivec2(0), last));
    if (other > 0.) jump = max(jump, abs(other - z));
  }
  // Holes, what is out of range, and points that hang between two surfaces.
  if (z <= 0. || z < range.x || z > range.y || jump > .04 * z + .02) { gl_Position = vec4(2., 2., 2., 1.); gl_PointSize = 0.; return; }
  vec3 place = vec3((float(at.x) + .5 - lens.z) / lens.x * z, -(float(at.y) + .5 - lens.w) / lens.y * z, -z);
  gl_Position = view * vec4(place, 1.);
  gl_PointSize = clamp(size * z / gl_Position.w, 1., 40.);
  color = mix(texture(picture, (vec2(at) + .5) / vec2(whole)).rgb, spectrum((z - colors.x) / max(.001, colors.y - colors.x)), mixing);
}`;
const fragment = `#version 300 es
precision mediump float;
in vec3 color; out vec4 result;
void main() { vec2 p = gl_PointCoord - .5; if (dot(p, p) > .25) discard; result = vec4(color, 1.); }`;

export class Cloud {
  yaw = 0; x = 0; y = 0;
  // Set by the owner: the colour behind the points, and handlers of touches.
  /** @type {number[]} */ ground;
  /** @type {() => void} */ onTouch;
  /** @type {() => void} */ onHome;
  /** @type {(event: PointerEvent) => boolean} */ onTap;

  constructor(canvas) {
    this.canvas = canvas;
    this.options = { size: 1, mixing: 0, range: [0.2, 8], colors: [0.5, 4], isTurning: true };
    this.count = 0;
    this.pivot = 1.2;
    this.home();
    this.listen();
    canvas.addEventListener("webglcontextlost", (event) => { event.preventDefault(); this.gl = null; });
    canvas.addEventListener("webglcontextrestored", () => this.prepare());
    this.prepare();
  }

  get isPossible() { return Boolean(this.gl); }

  prepare() {
    const gl = (this.gl = this.canvas.getContext("webgl2", { antialias: true, alpha: false }));
    if (!gl) return;
    this.program = compile(gl, vertex, fragment);
    this.set = new PointSet(gl, fragment);
    gl.useProgram(this.program);
    this.places = Object.fromEntries(["depth", "picture", "lens", "view", "size", "range", "colors", "mixing"].map((name) => [name, gl.getUniformLocation(this.program, name)]));
    this.textures = [0, 1].map((unit) => {
      const texture = gl.createTexture();
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(gl.TEXTURE_2D, texture);
      const filter = unit === 0 ? gl.NEAREST : gl.LINEAR;
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, filter);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
      return texture;
    });
    gl.uniform1i(this.places.depth, 0);
    gl.uniform1i(this.places.picture, 1);
    this.noArrays = gl.createVertexArray();
    gl.enable(gl.DEPTH_TEST);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 2);
    if (this.points) this.set.take(this.points);
  }

  // Takes a map { width, height, lens, values (Uint16Array, millimetres) } and its picture.
  take(map, picture) {
    const gl = this.gl;
    if (!gl) return;
    gl.useProgram(this.program);
    this.points = null;
    gl.activeTexture(gl.TEXTURE0);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.R16UI, map.width, map.height, 0, gl.RED_INTEGER, gl.UNSIGNED_SHORT, map.values);
    if (picture) {
      gl.activeTexture(gl.TEXTURE1);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, picture);
    }
    gl.uniform4f(this.places.lens, ...map.lens);
    this.map = map;
    this.count = map.width * map.height;
    // The pivot is the median of the nearer half.
    if (!this.wasTouched || !this.hasPivot) {
      const middle = map.nearMedian;
      if (middle) { this.pivot = this.hasPivot ? this.pivot + (middle - this.pivot) * 0.05 : middle; this.hasPivot = true; }
    }
  }

  // Takes the points of a file, which turn about their middle.
  takePoints(points) {
    this.home();
    [this.points, this.map, this.count, this.pivot, this.hasPivot] = [points, null, points.count, 1.8, false];
    if (this.gl) this.set.take(points);
  }

  // Removes everything shown before.
  clear() {
    [this.points, this.map, this.count] = [null, null, 0];
    const gl = this.gl;
    if (!gl) return;
    gl.clearColor(...(this.ground ?? [0.03, 0.035, 0.04]), 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  }

  draw(now = performance.now()) {
    const gl = this.gl;
    if (!gl || !this.count) return;
    const scale = Math.min(devicePixelRatio, 2);
    const [width, height] = [Math.round(this.canvas.clientWidth * scale), Math.round(this.canvas.clientHeight * scale)];
    if (!width || !height) return;
    if (this.canvas.width !== width || this.canvas.height !== height) [this.canvas.width, this.canvas.height] = [width, height];
    if (this.options.isTurning) [this.yaw, this.pitch] = [0.42 * Math.sin(now / 2600), 0.1 * Math.sin(now / 4100) + 0.06];
    gl.viewport(0, 0, width, height);
    const ground = this.ground ?? [0.03, 0.035, 0.04];
    gl.clearColor(...ground, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const { across, down } = this.lens(width, height);
    this.view = this.matrix(across, down);
    if (this.points) {
      // Large enough that a surface has no gaps.
      const size = Math.max((height / 700) * 1.8, (0.7 * height) / Math.sqrt(this.count)) * this.options.size * this.zoom;
      return this.set.draw(this.view, size, this.isFlipped);
    }
    const { lens, width: columns } = this.map;
    gl.useProgram(this.program);
    gl.bindVertexArray(this.noArrays);
    gl.uniformMatrix4fv(this.places.view, false, this.view);
    gl.uniform1f(this.places.size, ((width / columns) * 1.45 * this.options.size) * ((across * columns) / (2 * lens[0])));
    gl.uniform2f(this.places.range, ...this.options.range);
    gl.uniform2f(this.places.colors, ...this.options.colors);
    gl.uniform1f(this.places.mixing, this.options.mixing);
    gl.drawArrays(gl.POINTS, 0, this.count);
  }

  // The camera's own lens, so that the first view is the camera's; for a file's points, one that shows all of them.
  lens(width, height) {
    const shape = width / height;
    if (this.points) { const across = 1.5 * Math.min(1, 1 / shape); return { across, down: across * shape }; }
    const { lens, width: columns, height: rows } = this.map;
    // Shows the whole picture, even of an upright photo.
    const across = Math.min((2 * lens[0]) / columns, (2 * lens[1]) / rows / shape) * 0.94;
    return { across, down: across * shape };
  }

  // Projects a position in space to the canvas, in CSS pixels.
  project(place) {
    const [x, y, z] = this.points ? this.set.inView(place, this.isFlipped) : place;
    const m = this.view;
    const w = m[3] * x + m[7] * y + m[11] * z + m[15];
    const [px, py] = [(m[0] * x + m[4] * y + m[8] * z + m[12]) / w, (m[1] * x + m[5] * y + m[9] * z + m[13]) / w];
    return [(px * 0.5 + 0.5) * this.canvas.clientWidth, (0.5 - py * 0.5) * this.canvas.clientHeight, w];
  }

  // Finds the front point at a position on the canvas: its place in space and, in a map, its pixel.
  pick(left, top) {
    if (!this.view || !this.count) return null;
    return this.points ? pickPoint(this, left, top) : pickPixel(this, left, top);
  }

  flip() { this.isFlipped = !this.isFlipped; }

  // Turns about the pivot, moves, then projects through the lens.
  matrix(across, down) {
    const [sy, cy, sx, cx] = [Math.sin(this.yaw), Math.cos(this.yaw), Math.sin(this.pitch), Math.cos(this.pitch)];
    // Rows of the rotation: first about the vertical axis, then the horizontal.
    const r = [cy, 0, sy, sx * sy, cx, -sx * cy, -cx * sy, sx, cx * cy];
    const p = this.pivot;
    const distance = p / this.zoom;
    const t = [r[2] * p + this.x * distance, r[5] * p + this.y * distance, r[8] * p - distance];
    const [near, far] = [0.02, 60];
    const a = (far + near) / (near - far);
    const b = (2 * far * near) / (near - far);
    return new Float32Array([
      across * r[0], down * r[3], a * r[6], -r[6],
      across * r[1], down * r[4], a * r[7], -r[7],
      across * r[2], down * r[5], a * r[8], -r[8],
      across * t[0], down * t[1], a * t[2] + b, -t[2],
    ]);
  }

  home() { Object.assign(this, { yaw: 0, pitch: 0, zoom: 1, x: 0, y: 0, wasTouched: false, isFlipped: false }); }

  touch() {
    this.wasTouched = true;
    if (this.options.isTurning) { this.options.isTurning = false; this.onTouch?.(); }
  }

  // One finger turns, two move and zoom, the wheel zooms, a double tap resets.
  listen() {
    const fingers = new Map();
    let tap = { at: 0, moved: 0 };
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => {
      event.stopPropagation();
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, [event.clientX, event.clientY]);
      tap.moved = 0;
      if (fingers.size > 1) tap.at = -1e9;
    });
    canvas.addEventListener("pointermove", (event) => {
      const old = fingers.get(event.pointerId);
      if (!old) return;
      const [dx, dy] = [event.clientX - old[0], event.clientY - old[1]];
      tap.moved += Math.abs(dx) + Math.abs(dy);
      if (tap.moved < 4 && fingers.size === 1) return;
      this.touch();
      const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const [before, after] = [Math.hypot(old[0] - other[0], old[1] - other[1]), Math.hypot(event.clientX - other[0], event.clientY - other[1])];
        if (before > 10) this.scale(after / before);
        this.move(dx / 2, dy / 2);
      } else if (event.shiftKey || event.buttons === 2 || event.buttons === 4) this.move(dx, dy);
      else this.turn(dx / canvas.clientWidth * 3, dy / canvas.clientHeight * 2.2);
      fingers.set(event.pointerId, [event.clientX, event.clientY]);
    });
    const end = (event) => {
      if (!fingers.delete(event.pointerId) || event.type === "pointercancel") return;
      if (tap.moved > 6) return;
      if (this.onTap?.(event)) { tap.at = -1e9; return; }
      if (event.timeStamp - tap.at < 350) { this.home(); this.onHome?.(); tap.at = -1e9; } else tap.at = event.timeStamp;
    };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => { event.preventDefault(); this.touch(); this.scale(Math.exp(-event.deltaY * 0.0016)); }, { passive: false });
  }
  turn(yaw, pitch) { this.yaw += yaw; this.pitch = Math.max(-1.4, Math.min(1.4, this.pitch + pitch)); }
  move(dx, dy) { this.x += (dx / this.canvas.clientWidth) * 1.15; this.y -= (dy / this.canvas.clientHeight) * 0.65; }
  scale(factor) { this.zoom = Math.max(0.2, Math.min(12, this.zoom * factor)); }
}

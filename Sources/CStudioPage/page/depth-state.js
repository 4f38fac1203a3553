// The state that the parts of the workspace Depth share.
import { setup, given } from "/state.js";

export const options = {
  is3D: setup.get("view") === "3d", filtered: setup.get("raw") !== "1",
  // By default the range follows the scene.
  near: 0.5, far: 4, isAuto: true,
  tint: given("tint", 0, 1, 0), mix: given("mix", 0, 1, 1), size: given("size", 0.3, 4, 1),
};
const [near, far] = [given("near", 0.1, 1000, options.near), given("far", 0.1, 1000, options.far)];
if ((near !== options.near || far !== options.far) && far >= near + 0.2) Object.assign(options, { near, far, isAuto: false });
/** @type {DepthView} */
export const view = {
  isHere: false, hasDepth: true,
  // A depth map and its picture, or the points of a file; the point whose distance is shown; the renderer of points.
  map: null, picture: null, points: null, spot: null, cloud: null,
  errorAtOneMetre: 0.001425,
};

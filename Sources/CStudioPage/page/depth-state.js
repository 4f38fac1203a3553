// The state that the parts of the workspace Depth share.
import { setup } from "/state.js";

export const options = {
  is3D: setup.get("view") === "3d", filtered: setup.get("raw") !== "1",
  // By default the range follows the scene.
  near: Number(setup.get("near")) || 0.5, far: Number(setup.get("far")) || 4, isAuto: !setup.has("near") && !setup.has("far"), tint: Number(setup.get("tint")) || 0, mix: setup.has("mix") ? Number(setup.get("mix")) : 1,
  size: Number(setup.get("size")) || 1,
};
/** @type {DepthView} */
export const view = {
  isHere: false, hasDepth: true,
  // A depth map and its picture, or the points of a file; the point whose distance is shown; the renderer of points.
  map: null, picture: null, points: null, spot: null, cloud: null,
  errorAtOneMetre: 0.001425,
};

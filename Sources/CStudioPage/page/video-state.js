// The state that the parts of the workspace Video share.
/** @type {VideoWorkspace} */
export const workspace = {
  looks: [], videos: [], video: null, seconds: 0, isHere: false,
  // The end that controls set if the look changes: 0 for the start, 1 for the end.
  point: 0,
};
export const stats = { shown: 0, exact: 0, rate: 0, isPlaying: false, get seconds() { return workspace.seconds; } };

// What the workspace Video shows now: the state that its parts share.
/** @type {VideoWorkspace} */
export const workspace = {
  looks: [], videos: [], video: null, seconds: 0, isHere: false,
  // What is set where the look moves: its beginning or its end.
  point: 0,
};
export const stats = { shown: 0, exact: 0, rate: 0, isPlaying: false, get seconds() { return workspace.seconds; } };

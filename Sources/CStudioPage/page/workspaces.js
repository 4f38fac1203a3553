// The workspaces of the page, by their names, in the order of their keys 1, 2, 3 … A workspace is a section of index.html with a tab; its
// module adds it here, before app.js opens the first.
/** @type {Record<string, Workspace>} */
export const workspaces = {};

/** @type {(name: string, workspace: Workspace) => void} */
export function addWorkspace(name, workspace) { workspaces[name] = workspace; }

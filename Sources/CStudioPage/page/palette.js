// Red, yellow, green, cyan, blue from near to far, like DepthPalette.spectrum; 1024 colours as R, G, B.
export const colors = new Uint8ClampedArray(1024 * 3);
for (let i = 0; i < 1024; i += 1) {
  const at = (i / 1023) * 4;
  colors.set([(2 - at) * 255, Math.min(at, 4 - at) * 255, (at - 2) * 255], i * 3);
}

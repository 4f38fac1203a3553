// Browser interfaces that an older compiler does not declare. A newer one has its own declarations and ignores these.
interface CanvasRenderingContext2D { roundRect(x: number, y: number, width: number, height: number, radii?: number): void }
interface HTMLSelectElement { showPicker(): void }
interface Permissions { query(descriptor: { name: string }): Promise<PermissionStatus> }
interface WindowEventMap { paste: ClipboardEvent }
interface OffscreenCanvas {
  width: number; height: number;
  getContext(kind: "2d", options?: object): CanvasRenderingContext2D;
  convertToBlob(options?: object): Promise<Blob>;
}
declare var OffscreenCanvas: { new (width: number, height: number): OffscreenCanvas };
declare var MediaStreamTrackProcessor: any;
// For the microphone's worklet.
declare class AudioWorkletProcessor { readonly port: MessagePort }
declare const sampleRate: number;
declare const currentFrame: number;
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;

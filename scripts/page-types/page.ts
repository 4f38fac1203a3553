// Types of the studio's page beyond the browser's own; see scripts/check-page.sh.
export {};

declare global {
  // Elements by their ids in index.html, from which make.py writes PageElements. An id with a variable in it stands for all matching ids.
  type IdOf<K extends string> = Extract<keyof PageElements, K>;
  type Known<K extends string> = string extends K ? K : K extends string ? ([IdOf<K>] extends [never] ? "an id in index.html" : K) : never;
  type Find = <K extends string>(id: Known<K>) => K extends keyof PageElements ? PageElements[K] : any;
  interface Document {
    getElementById<K extends keyof PageElements>(id: K): PageElements[K];
    getElementById(id: string): any;
  }
  // The text of an element of index.html. Every file of words has an entry for each key of data-say, and no other.
  type Said = string | { text?: string; title?: string; label?: string; placeholder?: string };
  type PageWords = Record<PageWord, Said>;
  interface PageInput extends HTMLInputElement { onchange: (event: Event & { target: HTMLInputElement }) => any }
  interface PageSelect extends HTMLSelectElement { onchange: (event: Event & { target: HTMLSelectElement }) => any }
  // The type of a selector's elements follows from the tag at its end.
  type Last<S extends string> = S extends `${string} ${infer R}` ? Last<R> : S extends `${infer T}${"." | "[" | ":" | "#"}${string}` ? T : S;
  type Found<S extends string> = Last<S> extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[Last<S>] : Last<S> extends "" ? Control : any;
  interface ParentNode {
    querySelector<S extends string>(selector: S): Found<S>;
    querySelectorAll<S extends string>(selector: S): NodeListOf<Found<S>>;
  }
  // Events come from elements, and children are HTML elements.
  interface EventTarget {
    closest?(selector: string): Element;
    matches?(selector: string): boolean;
  }
  interface HTMLCollection { [Symbol.iterator](): IterableIterator<Control> }

  // A parameter, as the studio describes it. The page makes some of its own: `bend` sets how much finer a slider is at its start, and
  // `short` is the unit beside the number.
  type ParameterValue = any;
  interface Described {
    name: string; title?: string; summary: string;
    kind?: "number" | "toggle" | "choice" | "color" | "file" | "text";
    unit?: string; minimum?: number; maximum?: number; whole?: boolean;
    choices?: { name: string; summary: string }[];
    of?: string; default?: any; automatic?: string; automaticNumber?: number; group?: string; fixedAtStart?: boolean; places?: string[]; repeatable?: boolean;
  }
  type Parameter = Pick<Described, Studio.ParameterKey> & { bend?: number; short?: string };
  // Marks the active one of several buttons; see choose().
  type Mark = (button: HTMLElement | null) => void;
  // A strip of looks; see looks.js.
  interface Looks { draw(looks: Studio.LookInfo[]): void; mark(id: string): void; now(): void; soon(): void }
  interface LooksOf {
    // The address of the picture of a look, and whether other pictures go first.
    address(look: Studio.LookInfo): string; isBusy(): boolean;
    take(look: Studio.LookInfo): void;
    // Says that a look has no picture, or with null that it has one.
    failed?(button: HTMLButtonElement, look: Studio.LookInfo | null): void;
  }
  type MakeLooks = (list: HTMLElement, of: LooksOf) => Looks;
  type Change = (value: any, isFinal: boolean) => void;
  type Maker = (parameter: Parameter, value: any, change: Change) => Control;
  interface Control extends HTMLDivElement {
    value?: any;
    show?(value: any): void;
    explain?(reason: string | null): void;
    follow?(values: Record<string, ParameterValue>): void;
  }

  // The studio's messages on the connection, and the connection's own events.
  interface Messages {
    hello: Studio.Hello; state: Studio.LiveState; trouble: Studio.Message; note: Studio.Message; saved: Studio.Message;
    saving: Studio.SaveProgress; exports: { exports: Studio.Export[] }; pong: Studio.Message;
    open: void; closed: boolean; refused: string;
  }
  type On = <K extends keyof Messages>(kind: K, handle: (message: Messages[K]) => void) => void;
  interface Bundle {
    isStandby: boolean; number: number; seconds: number; age: number;
    parts: Map<number, { width: number; height: number; bytes: Uint8Array }>;
  }

  // A workspace, as its module adds it. `opens` says what `drop` does with dropped and pasted files.
  interface Workspace {
    enter?(): void;
    leave?(): void;
    show?(bundle: Bundle): Promise<void>;
    key?(event: KeyboardEvent): boolean;
    drop?(files: File[]): void | Promise<void>;
    opens?: string;
    // For tests and debugging.
    stats?: object;
  }
  interface TouchUp { version: number; strokes: Stroke[] }
  interface Stroke { does: string; size: number; softness: number; edges: boolean; points: number[] }
  interface Photo extends Studio.PhotoInfo {
    values: Record<string, Record<string, number>>; edit: Studio.PhotoEdit; accepted: Studio.PhotoEdit; revision?: number;
    // The locked focus, and its place on the picture.
    locked: number | null; mark?: [number, number];
    // The people in the picture by kind of subject, the width of the full picture, and its tile.
    people?: Record<string, Person[]>; full?: number; button?: HTMLButtonElement;
  }
  interface Person extends Studio.Person { mask: HTMLImageElement }
  type View = "effect" | "picture" | "depth" | "matte";
  type Tool = "look" | "background" | "people" | "brush" | "place";
  // A tool's actions for one finger; `pinch` is for two. See photos-pointer.js.
  interface ToolActs {
    down?(event: PointerEvent): boolean;
    move?(event: PointerEvent): void;
    up?(event: PointerEvent): void;
    cancel?(): void;
    tap?(event: PointerEvent): void;
    hold?(event: PointerEvent): void;
    hover?(event: PointerEvent | null): void;
    pinch?(change: { scale: number; dx: number; dy: number; at: number[] }): void;
    pinched?: { x: number; y: number; scale: number };
    timer?: number;
  }
  type Tools = Partial<Record<Tool, ToolActs>> & { frame?(): { x: number; y: number; width: number; height: number } };
  interface PhotoWorkspace {
    photos: Photo[]; photo: Photo | null; looks: Studio.LookInfo[]; look: Studio.LookInfo | null; view: View; tool: Tool;
    isDrawing: boolean; parameters: Parameter[]; formats: Studio.PhotoFormat[];
  }
  type PhotoEvent = "photo" | "look" | "tool" | "view" | "edit" | "state" | "drawn" | "wanted" | "placed" | "use" | "alike";
  interface DepthMap { width: number; height: number; lens: number[]; values: Uint16Array; nearMedian?: number; holes?: number }
  interface Points { count: number; total: number; places: Float32Array; colors: Uint8Array | null; isInMetres: boolean }
  // A measured point: in the picture, on the page and in space.
  interface Spot { x?: number; y?: number; left?: number; top?: number; place?: number[] }
  interface DepthView {
    isHere: boolean; hasDepth: boolean; map: DepthMap | null; picture: ImageBitmap | null; points: Points | null; spot: Spot | null;
    cloud: import("/cloud.js").Cloud | null; errorAtOneMetre: number;
  }
  interface Measure {
    isOn: boolean;
    onChange(): void;
    clear(): void;
    put(at: Spot | null, isNew: boolean): void;
    show(what?: { map?: DepthMap; points?: Points; errorAtOneMetre?: number; isOrder?: boolean }): void;
    follow(project: (place: number[]) => number[]): void;
  }
  interface VideoWorkspace {
    looks: Studio.LookInfo[]; videos: Studio.Video[]; video: Studio.Video | null; seconds: number; isHere: boolean; point: number;
  }
}

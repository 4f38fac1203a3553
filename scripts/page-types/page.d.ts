// What the studio's page stands on beyond a browser's own types: see scripts/check-page.sh.

// Elements by their ids in index.html (PageElements is made of it); what is made up of a part and a variable is looked for as such.
type IdOf<K extends string> = Extract<keyof PageElements, K>;
type Known<K extends string> = string extends K ? K : K extends string ? ([IdOf<K>] extends [never] ? "an id in index.html" : K) : never;
type Find = <K extends string>(id: Known<K>) => string extends K ? any : PageElements[IdOf<K>];
interface Document {
  getElementById<K extends keyof PageElements>(id: K): PageElements[K];
  getElementById(id: string): any;
}
interface PageInput extends HTMLInputElement { onchange: (event: Event & { target: HTMLInputElement }) => any }
interface PageSelect extends HTMLSelectElement { onchange: (event: Event & { target: HTMLSelectElement }) => any }

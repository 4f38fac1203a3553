// Puts the words of the page's language into index.html: elements name theirs by data-say, or have those of their id.
import { words } from "/strings.en.js";
export { words };

/** @type {(root: ParentNode) => void} */
function fill(root) {
  for (const place of root.querySelectorAll("[data-say]")) {
    const said = words.page[/** @type {PageWord} */ (place.dataset.say || place.id)];
    /** @type {Exclude<Said, string>} */ const { text, title, label, placeholder } = typeof said === "string" ? { text: said } : said;
    // The text goes before a control.
    if (text) place.prepend(place.matches("label") ? `${text} ` : text);
    if (title) place.title = title;
    if (label) place.setAttribute("aria-label", label);
    if (placeholder) place.setAttribute("placeholder", placeholder);
  }
}
fill(document);

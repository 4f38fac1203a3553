// Icons of 24×24 with lines of 1.7 in the text colour.
const paths = {
  live: '<rect x="3" y="6" width="12" height="12" rx="3"/><path d="m15 10.500 5-3v9l-5-3"/>',
  depth: '<path d="m12 3 8.500 4.700v8.600L12 21l-8.500-4.700V7.700z"/><path d="m3.800 7.800 8.200 4.700 8.200-4.700M12 12.500V21"/>',
  photos: '<rect x="3.500" y="4.500" width="17" height="15" rx="3"/><circle cx="9" cy="10" r="1.600"/><path d="m4.500 17.500 5-4.500 3.500 3 3-2.500 4 3.500"/>',
  video: '<rect x="3.500" y="5" width="17" height="14" rx="3"/><path d="M8 5v14M16 5v14M3.500 9.700H8M3.500 14.300H8M16 9.700h4.500M16 14.300h4.500"/>',
  measure: '<path d="M4 15.500 15.500 4 20 8.500 8.500 20zM7.500 12l2 2M10.500 9l1.500 1.500M13.500 6l2 2"/>',
  check: '<path d="m5 12.500 4.500 4.500L19 7.500"/>',
  play: '<path d="M8 5.500v13l10.500-6.500z"/>',
  compare: '<rect x="3.500" y="5" width="17" height="14" rx="3"/><path d="M12 3v18M7.800 10 6 12l1.800 2M16.200 10 18 12l-1.800 2"/>',
  mirror: '<path d="M12 4v16M9 8 4 17h5zM15 8l5 9h-5z"/>',
  freeze: '<path d="M9 6v12M15 6v12"/>',
  snapshot: '<path d="M4 8.500A2.500 2.500 0 0 1 6.500 6H8l1.500-2h5L16 6h1.500A2.500 2.500 0 0 1 20 8.500v8a2.500 2.500 0 0 1-2.500 2.500h-11A2.500 2.500 0 0 1 4 16.500z"/><circle cx="12" cy="12.500" r="3.400"/>',
  record: '<circle cx="12" cy="12" r="8"/><circle cx="12" cy="12" r="3.600" fill="currentColor" stroke="none"/>',
  microphone: '<rect x="9" y="3.500" width="6" height="10.500" rx="3"/><path d="M5.500 11.500a6.500 6.500 0 0 0 13 0M12 18v2.500"/>',
  standby: '<path d="M3.500 12S6.500 6.500 12 6.500c1.200 0 2.300.3 3.300.700M20.500 12s-3 5.500-8.500 5.500c-1.200 0-2.300-.3-3.300-.700"/><path d="m4.500 19.500 15-15"/>',
  undo: '<path d="M8.500 5 4.500 9l4 4"/><path d="M4.500 9H14a5.500 5.500 0 0 1 0 11H9"/>',
  redo: '<path d="m15.500 5 4 4-4 4"/><path d="M19.500 9H10a5.500 5.500 0 0 0 0 11h5"/>',
  theme: '<circle cx="12" cy="12" r="8"/><path d="M12 4a8 8 0 0 1 0 16z" fill="currentColor" stroke="none"/>',
  help: '<circle cx="12" cy="12" r="8.500"/><path d="M9.700 9.500a2.400 2.400 0 1 1 3.400 2.200c-.8.400-1.100.900-1.100 1.800M12 16.600v.1"/>',
  add: '<path d="M12 5v14M5 12h14"/>',
  down: '<path d="M12 4.500v10M7.500 11l4.500 4.500 4.500-4.500M5 19.500h14"/>',
  close: '<path d="m6.500 6.500 11 11M17.500 6.500l-11 11"/>',
  reset: '<path d="M5 12a7 7 0 1 0 2.200-5.100M5 4.500V8.500h4"/>',
  blur: '<circle cx="9.500" cy="9.500" r="5"/><circle cx="15" cy="14.500" r="5"/>',
  broadcast: '<circle cx="12" cy="12" r="2"/><path d="M8 8a5.700 5.700 0 0 0 0 8M16 8a5.700 5.700 0 0 1 0 8M5.300 5.300a9.500 9.500 0 0 0 0 13.400M18.700 5.300a9.500 9.500 0 0 1 0 13.400"/>',
};

export function icon(name) {
  return `<svg class="icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.700" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${paths[name] ?? ""}</svg>`;
}

// Puts icons into the elements with data-icon.
export function drawIcons(root) {
  for (const place of root.querySelectorAll("[data-icon]")) {
    place.insertAdjacentHTML("afterbegin", icon(place.dataset.icon));
    delete place.dataset.icon;
  }
}

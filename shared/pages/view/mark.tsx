/** The bars of the logo: a word as it is spoken. */
const bars = { green: "M1 9h4v6H1zM13 6h4v12h-4zM19 10h4v4h-4z", gold: "M7 2h4v20H7z" } as const;

export const Mark = () => (
  <svg viewBox="0 0 24 24" aria-hidden="true">
    <path d={bars.green} />
    <path class="gold" d={bars.gold} />
  </svg>
);

/** The logo as an address, which saves a request for the icon of the browser's tab. */
export const markAddress = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#0b8a6c" d="${bars.green}"/>` +
    `<path fill="#c77700" d="${bars.gold}"/></svg>`,
)}`;

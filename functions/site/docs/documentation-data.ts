/** What the documentation is written from: most of the function's bytes, so the first page that needs it loads it. */
export { readShownDocument } from "./built-document.ts";
export { guides } from "./guides/built-guides.ts";

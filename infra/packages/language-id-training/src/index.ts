export { readPhrases } from "./training/phrases.ts";

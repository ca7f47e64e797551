export { readPhrases } from "./training/corpus.ts";

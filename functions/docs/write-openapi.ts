/** Writes `openapi.json` from the contracts; with `--check` only says whether it is up to date. */
import { readFileSync, writeFileSync } from "node:fs";
import { operations } from "../manifest.ts";
import { buildOpenApi } from "./build-openapi.ts";

const file = new URL("./openapi.json", import.meta.url);
const document = `${JSON.stringify(buildOpenApi(operations), undefined, 2)}\n`;

if (!process.argv.includes("--check")) writeFileSync(file, document);
else if (readFileSync(file, "utf8") !== document) {
  process.stderr.write("functions/docs/openapi.json is out of date; run `npm run openapi`.\n");
  process.exitCode = 1;
}

/** `node write-with-catalogue.ts openapi|guides`: prints a document of a stage, whose catalogue it reads from its input. */
import { registerHooks } from "node:module";
import { text } from "node:stream/consumers";
import { catalogueModule, moduleOf } from "./stage-catalogue.ts";

const [document] = process.argv.slice(2);
const catalogue = await text(process.stdin);

registerHooks({
  load: (url, context, nextLoad) =>
    catalogueModule.test(url)
      ? { format: "module", source: moduleOf(JSON.parse(catalogue)), shortCircuit: true }
      : nextLoad(url, context),
});

const writeOpenApi = async () => {
  const { buildOpenApi } = await import("../../functions/docs/build-openapi.ts");
  const { functionDefinitions } = await import("../../functions/manifest.ts");
  return buildOpenApi(functionDefinitions);
};

const writeGuides = async () => {
  const { readGuides } = await import("../../functions/site/docs/guides/read-guides.ts");
  return readGuides();
};

process.stdout.write(JSON.stringify(await (document === "guides" ? writeGuides() : writeOpenApi())));

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Plugin } from "esbuild";
import type { StageCatalogue } from "../../shared/platform/catalogue/stage-catalogue.ts";

const run = promisify(execFile);

/** The module that is replaced. */
export const catalogueModule = /\/catalogue\/stage-catalogue\.ts$/;

/** Whether the stage has voices or languages of its own, which documents show. */
export const hasOwnCatalogue = ({ voices, languages }: StageCatalogue): boolean =>
  voices !== undefined || languages !== undefined;

/**
 * Puts the voices and languages of a stage into the bundles, and the OpenAPI document that follows from them. Without any, the bundles
 * are those of the repository.
 */
export const stageCatalogueData = (catalogue: StageCatalogue): Plugin => ({
  name: "stage-catalogue",
  setup(builder) {
    if (Object.keys(catalogue).length === 0) return;
    builder.onLoad({ filter: catalogueModule }, () => ({
      contents: moduleOf(catalogue),
      loader: "js",
    }));
    if (!hasOwnCatalogue(catalogue)) return;
    builder.onLoad({ filter: /\/openapi\/openapi\.json$/ }, async () => ({
      contents: await writeWithCatalogue("openapi", catalogue),
      loader: "json",
    }));
  },
});

/** The module of a stage's catalogue, as JavaScript. */
export const moduleOf = (catalogue: StageCatalogue): string =>
  `export const stageCatalogue = ${JSON.stringify(catalogue)};`;

/** What the build writes from the catalogue. */
export type CatalogueDocument = "openapi" | "guides";

/**
 * Returns the OpenAPI document or the guides of a stage, as JSON.
 *
 * This process has read the repository's catalogue, and contracts and guides quote it; so another process writes them.
 */
export const writeWithCatalogue = async (
  document: CatalogueDocument,
  catalogue: StageCatalogue,
): Promise<string> => {
  const script = join(import.meta.dirname, "write-with-catalogue.ts");
  const running = run(process.execPath, [script, document], { maxBuffer: 64 * 1024 * 1024 });
  running.child.stdin?.end(JSON.stringify(catalogue));
  return (await running).stdout;
};

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { projectDirectory } from "../../infra/bundling/bundle-options.ts";
import { builtGuides } from "../../infra/bundling/guides.ts";
import { evaluationSample } from "../support/evaluation-sample.ts";
import { withTemporaryDirectory } from "./synthesized-service.ts";

/** Bundles the evaluations of the stages in a folder as the console's function has them. */
const bundleWith = async (folder: string): Promise<string> => {
  const { outputFiles } = await build({
    absWorkingDir: projectDirectory,
    entryPoints: ["functions/site/quality/built-evaluations.ts"],
    bundle: true,
    format: "esm",
    write: false,
    logLevel: "silent",
    plugins: [builtGuides(folder, {})],
  });
  return outputFiles.map(({ text }) => text).join("");
};

describe("The bundle of the console", () => {
  it("has the evaluation that is in the folder of a stage", () =>
    withTemporaryDirectory(async (folder) => {
      const stage = join(folder, "infra/stages/prod");
      await mkdir(stage, { recursive: true });
      await writeFile(join(stage, "evaluation.json"), JSON.stringify(evaluationSample));
      const text = await bundleWith(folder);
      const bundle: { readonly evaluations: unknown } = await import(
        `data:text/javascript;base64,${Buffer.from(text).toString("base64")}`
      );
      expect(bundle.evaluations).toEqual({ prod: evaluationSample });
    }));

  it("is not built with a wrong one", () =>
    withTemporaryDirectory(async (folder) => {
      const stage = join(folder, "infra/stages/prod");
      await mkdir(stage, { recursive: true });
      await writeFile(join(stage, "evaluation.json"), "{}");
      await expect(bundleWith(folder)).rejects.toThrow(join(stage, "evaluation.json"));
    }));
});

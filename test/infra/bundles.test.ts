import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { functionDefinitions } from "../../functions/manifest.ts";
import { buildFunctions } from "../../infra/build.ts";
import packageJson from "../../package.json" with { type: "json" };

let outdir: string;
let packagesOf: (bundle: string) => Set<string>;

beforeAll(async () => {
  outdir = await mkdtemp(join(tmpdir(), "language-ai-bundles-"));
  const { metafile } = await buildFunctions({ outdir });
  packagesOf = (bundle) => {
    const output = Object.entries(metafile.outputs).find(([path]) => path.endsWith(`/${bundle}/index.mjs`));
    const inputs = Object.keys(output?.[1].inputs ?? {});
    expect(inputs).not.toEqual([]);
    return new Set(inputs.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []));
  };
}, 60_000);
afterAll(() => rm(outdir, { recursive: true, force: true }));

describe("The bundle of each function", () => {
  it.each(functionDefinitions)(
    "$name holds no development dependency, so none of their licences",
    ({ name }) => {
      const developmentOnly = new Set(Object.keys(packageJson.devDependencies));
      expect([...packagesOf(name)].filter((used) => developmentOnly.has(used))).toEqual([]);
    },
  );

  it("of the translation leaves out what only other functions need", () => {
    const packages = packagesOf("translate");
    for (const foreign of ["nodemailer", "@aws-sdk/client-s3", "@aws-sdk/client-sesv2", "undici"]) {
      expect(packages).not.toContain(foreign);
    }
  });
});

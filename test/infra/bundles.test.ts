import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { functionDefinitions } from "../../functions/manifest.ts";
import { buildFunctions } from "../../infra/build.ts";
import { productionPackages } from "../../infra/commands/production-packages.ts";
import lockFile from "../../package-lock.json" with { type: "json" };

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
    "$name holds nothing but what the service itself depends on, so no other licence",
    ({ name }) => {
      const production = new Set(
        [...productionPackages(lockFile)].map((folder) => folder.replace(/.*node_modules\//, "")),
      );
      const used = [...packagesOf(name)];
      expect(used).toContain("zod");
      expect(used.filter((one) => !production.has(one))).toEqual([]);
    },
  );

  it.each(["authorizer", "chat", "translate", "language"])(
    "of %s loads no SDK, because it stands in the way of many requests",
    (name) => {
      const packages = [...packagesOf(name)];
      expect(packages.filter((used) => /^@smithy\/|^@aws-sdk\/(?!util-dynamodb$)/.test(used))).toEqual([]);
    },
  );

  it("of the translation leaves out what only other functions need", () => {
    const packages = packagesOf("translate");
    for (const foreign of ["nodemailer", "@aws-sdk/client-s3", "@aws-sdk/client-sesv2", "undici"]) {
      expect(packages).not.toContain(foreign);
    }
  });
});

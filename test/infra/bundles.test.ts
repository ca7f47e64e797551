import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { functionDefinitions } from "../../functions/manifest.ts";
import { buildFunctions } from "../../infra/build.ts";
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
    "$name holds no development dependency, so none of their licences",
    ({ name }) => {
      // What is also needed by a dependency of the service, npm does not mark.
      const developmentOnly = new Set(
        Object.entries(lockFile.packages).flatMap(([folder, entry]) =>
          "dev" in entry && entry.dev ? folder.replace(/.*node_modules\//, "") : [],
        ),
      );
      expect(developmentOnly).toContain("@echogarden/espeak-ng-emscripten");
      expect([...packagesOf(name)].filter((used) => developmentOnly.has(used))).toEqual([]);
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

import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { build, type Metafile } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { functionDefinitions } from "../../functions/manifest.ts";
import { bundleOptions, projectDirectory } from "../../infra/bundling/bundle-options.ts";
import { licencesFile } from "../../infra/bundling/licences.ts";
import { onDemandEntryPoints } from "../../infra/bundling/on-demand-modules.ts";
import { builtService } from "../support/build-functions.ts";

const packageFile = z.object({ name: z.string(), version: z.string(), license: z.string() });

let folder: string;
let directory: string;
let metafile: Metafile;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "language-ai-licences-"));
  ({ directory, metafile } = await builtService(folder));
});
afterAll(() => rm(folder, { recursive: true }));

const licencesOf = (name: string): Promise<string> => readFile(join(directory, name, licencesFile), "utf8");

/** The folders of the packages in an output of esbuild. */
const packagesIn = (output: string): string[] => {
  const [, found] = Object.entries(metafile.outputs).find(([path]) => path.endsWith(`/${output}`)) ?? [];
  const inputs = Object.keys(found?.inputs ?? {});
  expect(inputs).not.toEqual([]);
  return inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? []);
};

const loads = (name: string, module: string): Promise<boolean> =>
  readFile(join(directory, name, module), "utf8").then(
    () => true,
    () => false,
  );

/** Bundles a function that only imports this. */
const bundleImporting = async (specifier: string): Promise<string> => {
  const entry = join(folder, "entry.mjs");
  await writeFile(
    entry,
    `import * as all from ${JSON.stringify(specifier)};\nexport const handler = () => all;\n`,
  );
  const options = bundleOptions({ sample: entry }, join(folder, "sample"));
  const { outputFiles } = await build({ ...options, entryPoints: options.entryPoints.slice(0, 1) });
  const [path = ""] = outputFiles.map((file) => file.path).filter((file) => file.endsWith("index.mjs"));
  return readFile(join(dirname(path), licencesFile), "utf8");
};

/** A package with this package.json, and one module. */
const writePackage = async (file: Readonly<Record<string, string>>): Promise<string> => {
  const own = await mkdtemp(join(folder, "node_modules-"));
  const home = join(own, "node_modules", "sample-package");
  await mkdir(home, { recursive: true });
  await writeFile(
    join(home, "package.json"),
    JSON.stringify({ name: "sample-package", version: "1.2.3", ...file }),
  );
  await writeFile(join(home, "index.js"), "export const value = Math.random();\n");
  return join(home, "index.js");
};

describe("The licences next to a bundle", () => {
  it.each(functionDefinitions)("name every package in it: $name", async ({ name }) => {
    const text = await licencesOf(name);
    const files = [`${name}/index.mjs`];
    for (const part of ["chunk.mjs", "further-endpoints.mjs"]) {
      if (await loads(name, part)) files.push(`${name}/${part}`);
    }
    for (const { out } of onDemandEntryPoints) {
      if (await loads(name, `${out}.mjs`)) files.push(`functions/${out}.mjs`);
    }
    for (const path of new Set(files.flatMap(packagesIn))) {
      const own: unknown = JSON.parse(
        await readFile(resolve(projectDirectory, path, "package.json"), "utf8"),
      );
      const { name: packageName, version, license } = packageFile.parse(own);
      expect(text).toContain(`\n${packageName} ${version} (${license})`);
    }
  });

  it("have the words of each licence, also where its package leaves them out", async () => {
    const text = await licencesOf("speech");
    expect(text).toMatch(/\n@middy\/core [\d.]+ \(MIT\), by Middy contributors\n/);
    expect(text).toContain("Permission is hereby granted, free of charge");
    expect(text).toMatch(/Apache License\n\s+Version 2\.0/);
    expect(text).toMatch(/the file mp3\.wasm\n[\s\S]*GNU LIBRARY GENERAL PUBLIC LICENSE/);
    expect(text).toMatch(/the file opusscript_native_wasm\.wasm\n[\s\S]*Xiph\.Org/);
  });

  it.each([
    [
      "a licence that is not accepted",
      { license: "GPL-3.0" },
      "must not contain sample-package 1.2.3 (GPL-3.0)",
    ],
    ["no licence", {}, "must not contain sample-package 1.2.3 (none)"],
    [
      "a licence without its words",
      { license: "BSD-2-Clause" },
      "no text of the licence of sample-package 1.2.3",
    ],
  ])("fail the build for a package with %s", async (_what, file, sentence) => {
    await expect(bundleImporting(await writePackage(file))).rejects.toThrow(sentence);
  });

  it("name an author as text", async () => {
    const text = await bundleImporting(
      await writePackage({ license: "MIT", author: "A. Person <a@example.com>" }),
    );
    expect(text).toContain("sample-package 1.2.3 (MIT), by A. Person <a@example.com>");
  });
});

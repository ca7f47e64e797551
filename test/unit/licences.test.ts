import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { productionPackages } from "../../infra/commands/production-packages.ts";

const projectDirectory = join(import.meta.dirname, "../..");

/** Permissive, and without conditions that a service would have to meet towards its callers. */
const allowed = new Set([
  "MIT",
  "MIT-0",
  "Apache-2.0",
  "ISC",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "0BSD",
  "BlueOak-1.0.0",
]);

const packageFile = z.object({ name: z.string(), version: z.string(), license: z.unknown() });

const read = (...path: string[]): unknown =>
  JSON.parse(readFileSync(join(projectDirectory, ...path), "utf8"));

const productionFolders = [...productionPackages(read("package-lock.json"))];

describe("the dependencies of the service", () => {
  it("are all under licences that allow its use", () => {
    expect(productionFolders.length).toBeGreaterThan(20);
    const others = productionFolders.flatMap((folder) => {
      const { name, version, license } = packageFile.parse(read(folder, "package.json"));
      return typeof license === "string" && allowed.has(license)
        ? []
        : [`${name}@${version}: ${JSON.stringify(license) ?? "no licence"}`];
    });
    expect(others).toEqual([]);
  });
});

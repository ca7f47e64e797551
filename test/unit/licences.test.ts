import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";

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

const lockFile = z.object({
  packages: z.record(z.string(), z.object({ dev: z.boolean().optional(), optional: z.boolean().optional() })),
});
const packageFile = z.object({ name: z.string(), version: z.string(), license: z.unknown() });

const read = (...path: string[]): unknown =>
  JSON.parse(readFileSync(join(projectDirectory, ...path), "utf8"));

/** What is bundled into functions; a package for another platform is not installed, and cannot be bundled. */
const productionFolders = Object.entries(lockFile.parse(read("package-lock.json")).packages)
  .filter(([folder, { dev, optional }]) => folder !== "" && !dev && !optional)
  .map(([folder]) => folder);

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

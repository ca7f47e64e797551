import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFile(join(root, file), "utf8");

const manifest = z
  .object({ engines: z.object({ node: z.string() }), devDependencies: z.object({ node: z.string() }) })
  .parse(JSON.parse(await read("package.json")));

const { packages } = z
  .object({
    packages: z.record(
      z.string(),
      z.object({
        optional: z.boolean().optional(),
        cpu: z.array(z.string()).optional(),
        engines: z.union([z.object({ node: z.string().optional() }), z.array(z.string())]).optional(),
      }),
    ),
  })
  .parse(JSON.parse(await read("package-lock.json")));

describe("The Node that installs the project", () => {
  it("is one for which npm leaves out no native part of a tool, which it does in silence", () => {
    const native = Object.values(packages).filter(
      ({ optional, cpu }) => optional && cpu && !cpu.includes("wasm32"),
    );
    const ranges = native.flatMap(({ engines }) => (engines && "node" in engines && engines.node) || []);
    const demanding = new Set(ranges.filter((range) => !/^>= ?(?:\d|1\d)(?:\.|$)/.test(range)));
    expect([...demanding]).toEqual([manifest.engines.node]);
  });

  it("is named by the README, together with the one that runs it", async () => {
    const [, oldest = "", oldestOf22 = ""] =
      /^\^(\d+\.\d+)\.0 \|\| >=(\d+\.\d+)\.0$/.exec(manifest.engines.node) ?? [];
    const [major = ""] = manifest.devDependencies.node.split(".");
    const readme = await read("README.md");
    expect(readme).toContain(`Node ${oldest} or newer is enough (of version 22: ${oldestOf22} or newer)`);
    expect(readme).toContain(`Everything runs on Node ${major}`);
    expect((await read(".node-version")).trim()).toBe(major);
  });
});

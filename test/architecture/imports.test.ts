import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const files = execFileSync("git", ["ls-files", "functions", "shared", "infra", "test"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => /\.(tsx?|mjs)$/.test(file) && existsSync(join(root, file)));
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));
const product = files.filter((file) => !file.startsWith("test/") && !file.startsWith("infra/packages/"));

/** The project's own files that a file loads; what it needs for its types only is not loaded. */
const importsOf = (text: string, file: string): string[] =>
  [...text.matchAll(/^(?:import|export) (?!type )(?:[^"';]*? from )?"(\.[^"]+)"/gms)]
    .map(([, specifier = ""]) => join(dirname(file), specifier))
    .filter((imported) => texts.has(imported));

/** Files that import themselves in a ring, each with its path. */
const cyclesIn = (imports: ReadonlyMap<string, readonly string[]>): string[] => {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (file: string, way: readonly string[]): void => {
    const at = way.indexOf(file);
    if (at >= 0) found.push([...way.slice(at), file].join(" → "));
    if (at >= 0 || done.has(file)) return;
    for (const imported of imports.get(file) ?? []) visit(imported, [...way, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  return found;
};

/** The feature that a file belongs to; `undefined` outside the features. */
const featureOf = (file: string): string | undefined => /^functions\/([^/]+)\//.exec(file)?.[1];

/** Imports, also of types alone, that lead from one feature into another. */
const betweenFeatures = (text: string, file: string): string[] =>
  [...text.matchAll(/(?:from|import|import\()\s*"(\.[^"]+)"/g)]
    .map(([, specifier = ""]) => join(dirname(file), specifier))
    .filter((imported) => {
      const other = featureOf(imported);
      return other !== undefined && other !== featureOf(file);
    })
    .map((imported) => `${file} imports ${imported}`);

const declaration =
  /^export (?:declare |default )?(?:abstract |async )*(?:const|let|function\*?|class|interface|type|enum) +(\w+)/gm;

describe("The files of the service", () => {
  it("import each other without a circle", () => {
    const imports = new Map([...texts].map(([file, text]) => [file, importsOf(text, file)]));
    expect([...imports.values()].flat().length).toBeGreaterThan(files.length);
    expect(cyclesIn(imports)).toEqual([]);
  });

  it("of a feature import no other feature, at any depth; only the deprecated routes do", () => {
    const features = files.filter((file) => !["legacy", undefined].includes(featureOf(file)));
    expect(features.length).toBeGreaterThan(50);
    expect(features.flatMap((file) => betweenFeatures(texts.get(file) ?? "", file))).toEqual([]);
  });

  it("export each name once", () => {
    const locations = new Map<string, string[]>();
    for (const file of product) {
      for (const [, name = ""] of texts.get(file)?.matchAll(declaration) ?? []) {
        // AWS Lambda wants every function's entry to have this name.
        if (name === "handler" && file.endsWith("/handler.ts")) continue;
        locations.set(name, [...(locations.get(name) ?? []), file]);
      }
    }
    expect(locations.size).toBeGreaterThan(500);
    expect([...locations].filter(([, where]) => new Set(where).size > 1)).toEqual([]);
  });

  it("give each kind of error a name in writing, because bundles shorten the names of classes", () => {
    const kinds = product
      .filter((file) => /^(functions|shared)\//.test(file))
      .flatMap(
        (file) =>
          texts
            .get(file)
            ?.match(/^(?:export )?class \w+ extends Error\b.*?^\}|^class .* extends Error \{\}/gms) ?? [],
      );
    expect(kinds.length).toBeGreaterThan(10);
    expect(kinds.filter((text) => !/^\s+override readonly name\b/m.test(text))).toEqual([]);
  });
});

describe("What looks for these", () => {
  it("finds a circle", () => {
    expect(
      importsOf('import { one } from "./app.ts";\nimport type { Two } from "./build.ts";', "infra/x.ts"),
    ).toEqual(["infra/app.ts"]);
    expect(
      cyclesIn(
        new Map([
          ["a", ["b"]],
          ["b", ["c"]],
          ["c", ["b"]],
        ]),
      ),
    ).toEqual(["b → c → b"]);
  });

  it("finds an import of another feature from a folder within one", () => {
    const text = 'import type { A } from "../../auth/contract.ts";\nimport { b } from "../b.ts";';
    expect(betweenFeatures(text, "functions/chat/deep/a.ts")).toEqual([
      "functions/chat/deep/a.ts imports functions/auth/contract.ts",
    ]);
  });
});

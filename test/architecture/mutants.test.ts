import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { drawMutants, mutantsOfFiles } from "../mutants/draw-mutants.ts";
import { findRemaining, parseLog } from "../mutants/earlier-run.ts";
import { applyMutant, mutantsOf } from "../mutants/mutate.ts";
import { runMutants } from "../mutants/run-mutants.ts";
import { overHttp } from "../mutants/tests-over-http.ts";

const projectDirectory = join(import.meta.dirname, "../..");

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "language-ai-mutants-test-"));
  await symlink(join(projectDirectory, "node_modules"), join(root, "node_modules"));
  await mkdir(join(root, "fares"));
  const files = {
    "package.json": '{ "type": "module" }',
    "vitest.config.ts": "export default {};",
    "tsconfig.json":
      '{ "compilerOptions": { "noEmit": true, "strict": true, "types": [] }, "include": ["fares/fare.ts"] }',
    "fares/fare.ts": "export const isFree = (age: number): boolean => age === 2 || age < 6;\n",
    "fares/fare.test.ts": `import { expect, it } from "vitest";
import { isFree } from "./fare.ts";
it("is free for a child", () => expect([isFree(2), isFree(3), isFree(30)]).toEqual([true, true, false]));
`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, name), text);
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe("The mutants of a source file", () => {
  it.each([
    ["if (a < b) save();", ["if (a <= b) save();", "if (!(a < b)) save();", "if (a < b) ;"]],
    ["const x = a && !b;", ["const x = a || !b;", "const x = a && b;"]],
    ["await save(1);", [";", " save(1);", "await save(2);"]],
    ["const x = a ?? [1];", ["const x = a;", "const x = a ?? [2];", "const x = a ?? [];"]],
    ["const x = { a, b: 'c' };", ["const x = {  b: 'c' };", "const x = { a,  };", 'const x = { a, b: "" };']],
    ["function f() { one(); return true; }", ["return undefined as never;", "; return true", "return false"]],
    ["import x from 'y'; type T = 'z' | 1;", []],
    ["z.string().meta({ description: 'a text' });", [";"]],
  ])("%s", (source, expected) => {
    const mutated = mutantsOf("a.ts", source).map((mutant) => applyMutant(source, mutant));
    expect(mutated).toHaveLength(expected.length);
    for (const text of expected)
      expect(
        mutated.some((one) => one.includes(text)),
        `${text}\n${mutated}`,
      ).toBe(true);
  });
});

it("Mutants of a page are those of its code and of its attributes", () => {
  const source = 'const Row = () => <p class="card">{isNew && <b>New</b>}</p>;';
  const mutated = mutantsOf("row.tsx", source).map((mutant) => applyMutant(source, mutant));
  expect(mutated).toEqual([
    'const Row = () => <p class="">{isNew && <b>New</b>}</p>;',
    'const Row = () => <p class="card">{isNew || <b>New</b>}</p>;',
  ]);
});

describe("A run of mutants", () => {
  it("separates those that a test notices from those that survive", { timeout: 120_000 }, async () => {
    const mutants = drawMutants(await mutantsOfFiles(root, ["fares/fare.ts"]), 10, 1);
    const judged = await runMutants({ root, mutants, tests: ["**/*.test.ts"] });
    // The second changes nothing; no test covers a child of six years, where the last two differ.
    expect(judged.map(({ change, verdict }) => [change, verdict])).toEqual([
      ["=== → !==", "tests"],
      ["2 → 3", "survived"],
      ["|| → &&", "tests"],
      ["< → <=", "survived"],
      ["6 → 7", "survived"],
    ]);
  });
});

describe("The mutants of an earlier run", () => {
  const before = "if (a < b) save();\nif (a < c) save();\nif (c < d) send();\n";
  const log =
    "tests    a.ts:2  < → <=\nsurvived a.ts:3  < → <=\nwords of another tool\ntypes    gone.ts:1  1 → 2\n";
  const find = (now: string) =>
    findRemaining(
      parseLog(log),
      () => before,
      (file) => {
        if (file !== "a.ts") throw new Error("There is no such file.");
        return now;
      },
    ).map(({ line, earlier }) => [line, earlier]);

  it("are found where their lines are now", () => {
    expect(find(`import { b } from "b";\n\n${before}`)).toEqual([
      [4, "tests"],
      [5, "survived"],
    ]);
  });

  it("are gone with their lines", () => {
    expect(find("if (a < b) save();\nif (c < d) send();\n")).toEqual([[2, "survived"]]);
  });

  it("are distinguished by their rank where several lines are the same", () => {
    const twice = "if (a < c) save();\n".repeat(3);
    const logged = parseLog("tests    a.ts:2  < → <=\n");
    const found = findRemaining(
      logged,
      () => twice,
      () => `\n${twice}`,
    );
    expect(found.map(({ line }) => line)).toEqual([3]);
  });
});

it("The tests over HTTP that judge mutants exist", () => {
  const files = overHttp.flatMap(([, tests]) => tests);
  expect(files.filter((file) => !existsSync(join(projectDirectory, file)))).toEqual([]);
});

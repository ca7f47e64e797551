import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { bounds, isBeyond, measure } from "../../house/measure.ts";
import { repositoryOf } from "../../house/sources.ts";

const program = join(import.meta.dirname, "../../house/main.ts");

const naming = `## Names and sentences

| Do not write | Write | Where it may stay, and why |
| --- | --- | --- |
| \`told\` | said | |
`;

/** A repository that keeps every bound. */
const good = {
  "README.md": "# A service\n",
  "shared/platform/naming.md": naming,
  "shared/platform/README.md": "The platform.\n",
  "shared/audio/README.md": "Audio.\n",
  "shared/audio/a.ts": "export const a = 1;\n",
} as const;

const long = (name: string, lines: number): string =>
  `export const ${name} = () => {\n${"  work();\n".repeat(lines - 2)}};\n`;

/** What breaks a bound, with the figures that are beyond theirs, and what the first of these names. */
const broken: Readonly<
  Record<string, { files: Readonly<Record<string, string>>; lists: string[]; names: string }>
> = {
  "a ring of folders": {
    files: {
      "shared/audio/a.ts": 'import type { B } from "../platform/b.ts";\nexport type A = B;\n',
      "shared/platform/b.ts": 'import type { A } from "../audio/a.ts";\nexport type B = A;\n',
    },
    lists: ["rings", "file-rings"],
    names: "shared/audio → shared/platform → shared/audio",
  },
  "a ring of modules": {
    files: {
      "infra/a.ts": 'import { b } from "./b.ts";\nexport const a = b;\n',
      "infra/b.ts": 'import { a } from "./a.ts";\nexport const b = a;\n',
    },
    lists: ["file-rings", "exports"],
    names: "infra/a.ts → infra/b.ts → infra/a.ts",
  },
  "too many lines": {
    files: Object.fromEntries(
      Array.from({ length: bounds.productionLines / 100 + 1 }, (_, index) => [
        `infra/a${index}.ts`,
        "// A line.\n".repeat(100),
      ]),
    ),
    lists: ["lines"],
    names: `${bounds.productionLines + 100} lines  infra`,
  },
  "too many long functions": {
    files: {
      ...Object.fromEntries(
        Array.from({ length: bounds.longFunctions + 1 }, (_, index) => [
          `infra/a${index}.ts`,
          long(`run${index}`, 41),
        ]),
      ),
    },
    lists: ["functions"],
    names: "41 lines  infra/a0.ts:1  run0",
  },
  "a function of 101 lines": {
    files: { "infra/a.ts": long("run", 101) },
    lists: ["longest-functions"],
    names: "101 lines  infra/a.ts:1  run",
  },
  "a long file": {
    files: { "infra/a.ts": "// A line.\n".repeat(301) },
    lists: ["files"],
    names: "301 lines  infra/a.ts",
  },
  "a doubled export": {
    files: { "infra/a.ts": "export const a = 1;\n" },
    lists: ["exports"],
    names: "a: shared/audio/a.ts, infra/a.ts",
  },
  "a retired word": {
    files: { "infra/a.ts": "// It is told.\n" },
    lists: ["words"],
    names: "infra/a.ts:1  told",
  },
  "a README of too many words": {
    files: { "README.md": "a ".repeat(1_301) },
    lists: ["readme-words"],
    names: "README.md: 1301",
  },
  "a README of too many bytes": {
    files: { "README.md": "a".repeat(8_001) },
    lists: ["readme-bytes"],
    names: "README.md: 8001",
  },
  "a folder without a README": {
    files: { "shared/http/b.ts": "export const b = 1;\n" },
    lists: ["undescribed"],
    names: "shared/http",
  },
};

const measured = (files: Readonly<Record<string, string>>) =>
  measure(
    repositoryOf(Object.keys(files), (path) => files[path] ?? ""),
    naming,
  );

describe("The figures of a repository", () => {
  it("are within their bounds when nothing is wrong", () => {
    const figures = measured(good);
    expect(figures.filter(isBeyond)).toEqual([]);
    expect(figures.find(({ list }) => list === "lines")).toMatchObject({
      figure: 1,
      bound: bounds.productionLines,
    });
  });

  it.each(Object.entries(broken))(
    "are beyond a bound for %s, and name it",
    (_what, { files, lists, names }) => {
      const beyond = measured({ ...good, ...files }).filter(isBeyond);
      expect(beyond.map(({ list }) => list)).toEqual(lists);
      expect(beyond[0]?.items.join("\n")).toContain(names);
    },
  );
});

describe("npm run house", () => {
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });

  it("prints the figures of a work tree and fails beyond a bound, with what is beyond it", () => {
    const root = mkdtempSync(join(tmpdir(), "house-"));
    onTestFinished(() => rmSync(root, { recursive: true }));
    execFileSync("git", ["init", "--quiet"], { cwd: root });
    for (const [path, text] of Object.entries({ ...good, "infra/a.ts": "// It is told.\n" })) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    const { status, stdout } = run("--root", root);
    expect(stdout).toMatch(/^Lines of production code +2 +[\d,]+$/m);
    expect(stdout).toMatch(/^Retired words .* 1 +0 {2}FAILED$/m);
    expect(stdout).toContain("infra/a.ts:1  told");
    expect(status).toBe(1);
    expect(run("--root", root, "--list", "words", "shared").status).toBe(0);
    expect(run("--root", root, "--list", "words", "infra")).toMatchObject({
      status: 1,
      stdout: expect.stringContaining("infra/a.ts:1  told"),
    });
    expect(run("--root", root, "--list", "nothing")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('There is no list "nothing".'),
    });
  });
});

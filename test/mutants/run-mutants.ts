import { spawn } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { FileMutant } from "./draw-mutants.ts";
import { applyMutant } from "./mutate.ts";
import { relatedTests } from "./related-tests.ts";

/** What found a mutant. */
export type Verdict = "tests" | "types" | "survived";

/** A mutant with its result. */
export interface JudgedMutant extends FileMutant {
  readonly verdict: Verdict;
}

/** What is judged, and by which tests. */
export interface MutantsOptions {
  readonly root: string;
  readonly mutants: readonly FileMutant[];
  /** Tests that may be run, as globs. */
  readonly tests: readonly string[];
  /** Further tests for a file whose mutant survived, such as those over HTTP; a batch runs if no earlier one failed. */
  readonly thorough?: ((file: string) => readonly (readonly string[])[]) | undefined;
  readonly report?: (mutant: JudgedMutant) => void;
}

const copies = 2;
/** A mutant that never ends is found, too. On a busy machine two minutes were too short for tests that passed. */
const maxRunMilliseconds = 300_000;
/** For half of all unit tests, of which none is in an endless loop. */
const maxFirstRunMilliseconds = 3_600_000;
const notCopied = new Set(["node_modules", ".local", ".build", "cdk.out"]);

const makeCopy = async (root: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "language-ai-mutants-"));
  await cp(root, folder, {
    recursive: true,
    filter: (path) => path === root || !notCopied.has(basename(path)),
  });
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
};

/** Whether a command of the project succeeds within the copy. */
const succeeds = (
  folder: string,
  command: string,
  args: readonly string[],
  maxMilliseconds = maxRunMilliseconds,
): Promise<boolean> =>
  new Promise((resolve) => {
    const bin = join(folder, "node_modules/.bin");
    const child = spawn(join(bin, command), args, {
      cwd: folder,
      stdio: "ignore",
      detached: true,
      // The copy has other bundles than what may have been built for the project.
      env: { ...process.env, BUILT_FUNCTIONS: "", PATH: `${bin}:${process.env["PATH"]}`, CI: "1" },
    });
    const timer = setTimeout(() => {
      // With its workers, of which one may be in an endless loop.
      if (child.pid) process.kill(-child.pid, "SIGKILL");
    }, maxMilliseconds);
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve(code === 0);
    });
  });

const pageProjects = [
  [["functions/console/client", "functions/site/client", "shared/pages/client"], "functions/console/client"],
  [["functions/console", "functions/operators", "functions/site", "shared/pages"], "functions/console"],
] as const;

/** The configuration that checks a file's types: pages and their scripts have their own. */
const typesOf = (file: string): string =>
  pageProjects.find(([areas]) => areas.some((area) => file.startsWith(`${area}/`)))?.[1] ?? ".";

/** The nearest tests first: most mutants need no others. */
const inBatches = (tests: readonly string[]): string[][] =>
  [tests.slice(0, 4), tests.slice(4, 20), tests.slice(20)]
    .map((batch) => [...batch])
    .filter((b) => b.length > 0);

/**
 * Puts mutants into copies of the project, one at a time, and looks who notices. The project itself is not touched.
 *
 * @returns every mutant with its verdict, by file and line.
 */
export const runMutants = async (options: MutantsOptions): Promise<JudgedMutant[]> => {
  const { root } = options;
  const waiting = [...options.mutants];
  const judged: JudgedMutant[] = [];
  const testsOf = relatedTests(root, options.tests);

  const passes = async (folder: string, tests: readonly string[], maxMilliseconds?: number) =>
    tests.length === 0 ||
    succeeds(folder, "vitest", ["run", "--bail=1", "--maxWorkers=1", ...tests], maxMilliseconds);

  const judge = async (folder: string, file: string): Promise<Verdict> => {
    for (const batch of inBatches(testsOf(file))) if (!(await passes(folder, batch))) return "tests";
    const promises = ["--type-aware", "--deny-warnings", file];
    const types = [
      "-p",
      typesOf(file),
      "--incremental",
      "--tsBuildInfoFile",
      join(folder, ".local/types", typesOf(file), "info"),
    ];
    if (!(await succeeds(folder, "tsc", types)) || !(await succeeds(folder, "oxlint", promises)))
      return "types";
    for (const batch of options.thorough?.(file) ?? []) if (!(await passes(folder, batch))) return "tests";
    return "survived";
  };

  // Tests that fail without mutants would find every mutant.
  const needed = [...new Set(waiting.flatMap(({ file }) => testsOf(file)))];

  const work = async (_item: unknown, index: number): Promise<void> => {
    const folder = await makeCopy(root);
    try {
      const own = needed.filter((_test, position) => position % copies === index);
      if (own.length > 0 && !(await passes(folder, own, maxFirstRunMilliseconds)))
        throw new Error("The tests fail without any mutant; see which with npx vitest run --project unit.");
      for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
        const { file } = mutant;
        const source = await readFile(join(root, file), "utf8");
        await writeFile(join(folder, file), applyMutant(source, mutant));
        const result = { ...mutant, verdict: await judge(folder, file) };
        await writeFile(join(folder, file), source);
        judged.push(result);
        options.report?.(result);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
  await Promise.all(Array.from({ length: copies }).map(work));
  return judged.toSorted((a, b) => a.file.localeCompare(b.file) || a.start - b.start);
};

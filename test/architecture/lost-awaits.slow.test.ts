import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const projectDirectory = join(import.meta.dirname, "../..");

/** A statement that waits for a call and does nothing else. */
const awaited = /^( +)await (?=[\w.]+\()/m;

/** Whose first such statement loses its `await`, in a copy of the code. */
const folders = [
  "functions/auth",
  "functions/messaging",
  "functions/speech",
  "functions/upload",
  "shared/messaging",
  "shared/accounts/sign-in",
];

let copy: string;
let seeded: string[];

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), "language-ai-lost-awaits-"));
  for (const entry of ["functions", "shared", "package.json", "tsconfig.json", ".oxlintrc.json"]) {
    await cp(join(projectDirectory, entry), join(copy, entry), { recursive: true });
  }
  await symlink(join(projectDirectory, "node_modules"), join(copy, "node_modules"));
  seeded = await Promise.all(
    folders.map(async (folder) => {
      for (const name of (await readdir(join(copy, folder), { recursive: true })).toSorted()) {
        if (!name.endsWith(".ts")) continue;
        const path = join(copy, folder, name);
        const text = await readFile(path, "utf8");
        if (!awaited.test(text)) continue;
        await writeFile(path, text.replace(awaited, "$1"));
        return join(folder, name);
      }
      throw new Error(`Nothing is waited for in ${folder}.`);
    }),
  );
});
afterAll(() => rm(copy, { recursive: true, force: true }));

describe("The check for lost awaits", () => {
  it("finds every call whose promise is not awaited, and nothing else", async () => {
    const bin = join(projectDirectory, "node_modules/.bin");
    const output = await new Promise<string>((resolve) => {
      execFile(
        process.execPath,
        [join(bin, "oxlint"), "--type-aware", "--deny-warnings", "--format", "unix", ...folders],
        { cwd: copy, env: { ...process.env, PATH: `${bin}:${process.env["PATH"]}` } },
        (_error, stdout) => resolve(stdout),
      );
    });
    const found = [...output.matchAll(/^(\S+?):\d+:\d+: .*no-floating-promises/gm)].map(([, file]) => file);
    expect(found.toSorted()).toEqual(seeded.toSorted());
  }, 300_000);
});

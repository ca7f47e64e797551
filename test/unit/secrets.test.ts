import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";

const projectDirectory = join(import.meta.dirname, "../..");

/** What `.gitignore` keeps out, and what git itself writes. */
const notOurs = new Set([
  ...["node_modules", ".git", ".build", ".local", ".python", ".pictures", "cdk.out", "cdk.context.json"],
]);

/** Shapes that only a secret has; the placeholders for secrets on a laptop have none of them. */
const secretShapes: ReadonlyMap<string, RegExp> = new Map([
  ["an AWS access key id", /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ["an AWS secret access key", /secret_?access_?key["']?\s*[=:]\s*["']?[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])/i],
  ["a private key", /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/],
  ["a JSON web token", /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/],
  ["a bearer token", /\bbearer\s+[\w.~+/-]{20,}/i],
  ["an API key of an OpenAI server", /\bsk-[\w-]{20,}/],
  ["a GitHub token", /\b(?:gh[pousr]_\w{36,}|github_pat_\w{30,})/],
  ["a Google API key", /\bAIza[\w-]{35}/],
  ["a Slack token", /\bxox[abprs]-[\w-]{10,}/],
  ["an access token of the messaging platform", /\bEAA[A-Za-z0-9]{40,}/],
]);

const filesIn = (directory: string): string[] =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    if (notOurs.has(entry.name) || entry.name.endsWith(".log")) return [];
    const path = join(directory, entry.name);
    return entry.isDirectory() ? filesIn(path) : entry.isFile() ? [path] : [];
  });

/** The keys in AWS's own documentation and test suites end so, and open nothing. */
const documentedKey = /[A-Za-z0-9/+]+EXAMPLE(?:KEY)?\b/g;

/** The key of the sample events' account. It was never issued. */
const sampleKey = /lai_0{33}15ftgF1YjlNK/g;

const secretsIn = (text: string): string[] => {
  const found = [...secretShapes].filter(([, shape]) => shape.test(text));
  if (found.length === 0) return [];
  const own = text.replaceAll(documentedKey, "").replaceAll(sampleKey, "");
  return found.flatMap(([what, shape]) => (shape.test(own) ? [what] : []));
};

describe("the repository", () => {
  it("holds no secrets", () => {
    const files = filesIn(projectDirectory);
    expect(files.length).toBeGreaterThan(100);
    const found = files.flatMap((path) =>
      secretsIn(readFileSync(path, "latin1")).map(
        (what) => `${relative(projectDirectory, path)} has ${what}`,
      ),
    );
    expect(found).toEqual([]);
  });

  it("may hold the keys of AWS's documentation", () => {
    expect(secretsIn(`accessKeyId: "AKIA${"IOSFODNN7"}EXAMPLE"`)).toEqual([]);
  });

  // Put together here, so that this file itself is clean.
  it.each([
    ["an AWS access key id", `AKIA${"B7".repeat(8)}`],
    ["an AWS secret access key", `aws_secret_access_key = ${"aB3/".repeat(10)}`],
    ["a private key", `-----BEGIN RSA ${"PRIVATE"} KEY-----`],
    ["a JSON web token", ["eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxIn0", "c2lnbmF0dXJl"].join(".")],
    ["a bearer token", `Authorization: Bearer ${"a1b2".repeat(6)}`],
    ["an API key of an OpenAI server", `sk-${"proj-a1".repeat(4)}`],
    ["a GitHub token", `ghp_${"a1b2c3".repeat(6)}`],
    ["a Google API key", `AIza${"a1b2c".repeat(7)}`],
    ["a Slack token", `xoxb-${"1234567890"}`],
    ["an access token of the messaging platform", `EAA${"a1B2".repeat(12)}`],
  ])("would be caught with %s", (what, text) => {
    expect(secretsIn(`key: "${text}"`)).toContain(what);
  });
});

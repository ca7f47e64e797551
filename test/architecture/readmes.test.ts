import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const listed = ["*.md", ":!test/fixtures"];
const documents = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", ...listed], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => file !== "" && existsSync(join(root, file)));

/** The files that a document links to. Links of guides that begin with a slash lead to pages: their own test follows them. */
const linksOf = (file: string): string[] =>
  [...readFileSync(join(root, file), "utf8").matchAll(/\]\((?![a-z]+:|#|\/)([^)#\s]+)/g)].map(
    ([, target = ""]) => join(dirname(file), target).replace(/\/$/, ""),
  );

describe("The documents of the repository", () => {
  it("link to files that exist", () => {
    const broken = documents.flatMap((file) =>
      linksOf(file)
        .filter((target) => !existsSync(join(root, target)))
        .map((target) => `${file}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it("are all found from the README", () => {
    const found = new Set(["README.md"]);
    for (const file of found) {
      for (const target of linksOf(file)) {
        for (const document of [target, `${target}/README.md`])
          if (documents.includes(document)) found.add(document);
      }
    }
    const lost = documents.filter((file) => file.endsWith("README.md") && !found.has(file));
    expect(lost).toEqual([]);
    expect(found.size).toBeGreaterThan(15);
  });
});

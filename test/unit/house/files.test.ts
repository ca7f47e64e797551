import { describe, expect, it } from "vitest";
import { undescribedFolders, wordsOf } from "../../house/documents.ts";
import { linesByFolder, longFiles, productionLines } from "../../house/sizes/files.ts";

const file = (path: string, lines: number) => ({ path, text: "line\n".repeat(lines) });

const files = [
  file("shared/http/a.ts", 10),
  file("functions/console/view/b.tsx", 301),
  file("functions/console/view/c.css", 300),
  file("infra/d.ts", 5),
  file("infra/README.md", 500),
  file("infra/packages/sample-models/src/e.ts", 500),
  file("test/unit/f.test.ts", 500),
];

describe("The lines of production code", () => {
  it("are those of modules and style sheets, without packages, tests and documents", () => {
    expect(productionLines(files)).toBe(10 + 301 + 300 + 5);
  });

  it("are listed by folder, the largest first", () => {
    expect(linesByFolder(files)).toEqual([
      { path: "functions/console", lines: 601 },
      { path: "shared/http", lines: 10 },
      { path: "infra", lines: 5 },
    ]);
  });
});

describe("The search for long files", () => {
  it("finds those beyond the bound, but for texts", () => {
    expect(longFiles(files, 300)).toEqual([{ path: "functions/console/view/b.tsx", lines: 301 }]);
  });
});

describe("The words of a document", () => {
  it("are what spaces and line ends separate", () => {
    expect(wordsOf("# A title\n\nTwo  words, `code`.\n")).toBe(6);
    expect(wordsOf("")).toBe(0);
  });
});

describe("The search for folders that no README describes", () => {
  const undescribed = (documents: Readonly<Record<string, string>>) =>
    undescribedFolders(
      [
        "shared/http/a.ts",
        "shared/http/openapi/b.ts",
        "shared/http/openapi/deep/c.ts",
        ...Object.keys(documents),
      ],
      (path) => documents[path] ?? "",
    );

  it("finds a room without a README of its own, and folders below it", () => {
    expect(undescribed({})).toEqual(["shared/http", "shared/http/openapi", "shared/http/openapi/deep"]);
  });

  it("takes a folder for described that a README above it names, or that has one", () => {
    expect(undescribed({ "shared/http/README.md": "`openapi/` holds the document." })).toEqual([
      "shared/http/openapi/deep",
    ]);
    expect(
      undescribed({
        "shared/http/README.md": "The document of openapiness.",
        "shared/http/openapi/README.md": "See [deep](deep/).",
      }),
    ).toEqual([]);
  });
});

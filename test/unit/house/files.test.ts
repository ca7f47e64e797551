import { describe, expect, it } from "vitest";
import { undescribedFolders } from "../../house/documents.ts";

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

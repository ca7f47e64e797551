import { describe, expect, it } from "vitest";
import { openDocument } from "../../../shared/documents/document-tools.ts";
import { readerVersion } from "../../../shared/documents/reader-version.ts";

/** Sentences of all lengths, one word longer than the one before. */
const prose = Array.from({ length: 40 }, (_, index) => `Good${" morning".repeat(index)}.`).join(" ");

describe("The version of the readers", () => {
  it("rises with every change of which passages a document has", () => {
    const { passages } = openDocument(Buffer.from(`<p>${prose} <b>${prose}</b></p><p>{n} new</p>`), "html");
    // Jobs that are running have numbered their passages with this version: another one must not continue them.
    expect({ readerVersion, passages }).toEqual({ readerVersion: 5, passages: [3_659, 9_299, 4] });
  });
});

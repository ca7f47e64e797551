import { expect, it } from "vitest";
import { findGrown } from "../../house/bundles.ts";

it("A bundle may be 3% larger than its record, with what was added to that", () => {
  const records = {
    chat: { bytes: 900, raised: [{ for: "a feature of the next release", bytes: 100 }] },
    docs: { bytes: 1_000, raised: [] },
    gone: { bytes: 1, raised: [] },
  };
  const bytes = new Map([
    ["chat", 1_030],
    ["docs", 1_031],
    ["new", 1],
  ]);
  expect(findGrown(bytes, records)).toEqual([
    "The bundle of docs has 1031 bytes, 3.1% more than its record of 1000.",
    "The bundle of new has no record.",
    "There is a record of gone, and no bundle.",
  ]);
});

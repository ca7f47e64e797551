import { describe, expect, it } from "vitest";
import { optionsOf } from "../../../shared/pages/view/forms.tsx";
import { transcriptionLanguages } from "../../../shared/platform/catalogue/languages.ts";

describe("A list of languages", () => {
  it("is sorted by name", () => {
    const labels = optionsOf(transcriptionLanguages).map(({ label }) => label);
    expect(labels).toEqual(labels.toSorted((one, other) => one.localeCompare(other, "en")));
    expect(labels).not.toEqual(transcriptionLanguages.map(({ name }) => name));
  });
});

import { describe, expect, it } from "vitest";
import { languageEndpoints } from "../../../../functions/language/endpoints.ts";
import type { Identification } from "../../../../shared/models/language-id/identification.ts";
import { authorizedCaller, send } from "../../../support/send.ts";

const ask = (path: string, text: unknown, identification: Partial<Identification> = {}) => {
  const heard: string[] = [];
  const model = {
    identify: (given: string): Identification => {
      heard.push(given);
      return { language: "nyn", confidence: 0.95, other: 0.1, ...identification };
    },
  };
  return send(languageEndpoints({ model }), { path, body: { text }, authorizer: authorizedCaller }).then(
    (response) => ({ ...response, heard }),
  );
};

describe("POST /tasks/language_id", () => {
  it.each([{}, { confidence: 0.2, other: 1 }])(
    "names the most likely language, however sure: %j",
    async (sure) => {
      expect(await ask("/tasks/language_id", "Agandi ssebo", sure)).toMatchObject({
        status: 200,
        body: { language: "nyn" },
        heard: ["Agandi ssebo"],
      });
    },
  );
});

describe("POST /tasks/classify_language", () => {
  it("names the language when the model is sure, and says so when it is not", async () => {
    expect((await ask("/tasks/classify_language", "Agandi")).body).toEqual({ language: "nyn" });
    expect((await ask("/tasks/classify_language", "Agandi", { other: 0.99 })).body).toEqual({
      language: "language not detected",
    });
  });
});

describe.each(["/tasks/language_id", "/tasks/classify_language"])("POST %s", (path) => {
  it.each(["abc", "a".repeat(200), "\u{1F600}".repeat(3)])(
    "takes a text of 3 to 200 characters",
    async (text) => {
      expect(await ask(path, text)).toMatchObject({ status: 200, heard: [text] });
    },
  );

  it.each([
    ["ab", "string_too_short"],
    ["a".repeat(201), "string_too_long"],
    [undefined, "missing"],
  ])("refuses any other: %#", async (text, type) => {
    expect(await ask(path, text)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "text"], type }] },
      heard: [],
    });
  });
});

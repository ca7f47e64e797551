import { beforeAll, describe, expect, inject, it } from "vitest";
import { translateOperation } from "../../functions/translate/contract.ts";
import { call, expectDeclared, expectError, sharedAccount } from "../support/client.ts";

let token: string;
beforeAll(async () => {
  ({ token } = await sharedAccount());
});

const translate = (body: unknown) => call("/tasks/translate", { token, body });

describe("POST /tasks/translate", () => {
  it("translates, with languages by code, by name and in any case", async () => {
    const response = await translate({
      source_language: "ENG",
      target_language: "luganda",
      text: "How are you?",
    });
    expectDeclared(translateOperation, response);
    expect(response).toMatchObject({
      status: 200,
      body: { status: "COMPLETED", output: { source_language: "eng", target_language: "lug" } },
    });
    expect(response.body.output.translated_text).not.toBe("");
  });

  it.runIf(inject("isLocal"))("returns what the sample server's phrasebook has", async () => {
    const response = await translate({ target_language: "lug", text: "Thank you" });
    expect(response.body).toMatchObject({ output: { translated_text: "Webale", source_language: "eng" } });
    expect(response.body.usage.total_tokens).toBeGreaterThan(0);
  });

  it.each([
    ["eng", "Where is the nearest hospital?", "lug"],
    ["swa", "Watoto wanaenda shuleni kila siku asubuhi", "eng"],
  ])("names the source language that the text shows: %s", async (code, text, target) => {
    for (const source of [{}, { source_language: "auto" }]) {
      const response = await translate({ target_language: target, text, ...source });
      expectDeclared(translateOperation, response);
      expect(response.body.output.source_language).toBe(code);
    }
  });

  it.each([
    ["a word of several languages", "Asante"],
    ["no words", "12345"],
  ])("names no source language when the text does not show it: %s", async (_, text) => {
    const response = await translate({ target_language: "lug", text });
    expectDeclared(translateOperation, response);
    expect(response).toMatchObject({ status: 200, body: { output: { source_language: null } } });
  });

  it("reads the words of a page, not its markup", async () => {
    const text = '<div class="main content"><p title="x">Watoto wanaenda <b>shuleni</b> kila siku.</p></div>';
    const response = await translate({ target_language: "lug", text, format: "html" });
    expect(response.body.output.source_language).toBe("swa");
  });

  it("keeps the source language that the request names, even when the text shows another", async () => {
    const text = "Abaana bagenda ku ssomero buli lunaku";
    const response = await translate({ source_language: "nyn", target_language: "eng", text });
    expect(response.body.output.source_language).toBe("nyn");
  });

  it("refuses an unknown language with 400 and the 32 it knows", async () => {
    const response = await translate({ target_language: "fra", text: "Hello" });
    expectError(response, 400, "unsupported_language");
    expect(response.body.error.supported_languages).toHaveLength(32);
    expect(response.body.error.supported_languages[0]).toEqual({ code: "ach", name: "Acholi" });
  });

  it("refuses two names of one language with 400", async () => {
    const response = await translate({ source_language: "lug", target_language: "Luganda", text: "Hello" });
    expectError(response, 400, "same_language");
    expect(response.body.error.supported_languages).toHaveLength(32);
  });

  it("names a missing field", async () => {
    const response = await translate({ target_language: "lug" });
    expectDeclared(translateOperation, response);
    expect(response).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "text"], type: "missing" }] },
    });
  });
});

import { beforeAll, describe, expect, inject, it } from "vitest";
import { translateOperation } from "../../functions/translate/contract.ts";
import { call, createAccount, expectDeclared, expectError } from "../support/client.ts";

let token: string;
beforeAll(async () => {
  ({ token } = await createAccount());
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
    expect(response.body).toMatchObject({ output: { translated_text: "Webale", source_language: null } });
    expect(response.body.usage.total_tokens).toBeGreaterThan(0);
  });

  it.each(["lg", "lg-UG", "lug-UG", "Ganda"])("takes the language %s for Luganda", async (target) => {
    const response = await translate({ source_language: "auto", target_language: target, text: "Thank you" });
    expectDeclared(translateOperation, response);
    expect(response.body.output).toMatchObject({ source_language: null, target_language: "lug" });
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

  it("requires a token first", async () => {
    expectError(await call("/tasks/translate", { body: { nonsense: true } }), 401, "unauthenticated");
  });
});

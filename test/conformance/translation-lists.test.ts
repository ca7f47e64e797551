import { beforeAll, describe, expect, inject, it } from "vitest";
import * as z from "zod";
import { translateBatchOperation, translateOperation } from "../../functions/translate/contract.ts";
import { call, createAccount, expectDeclared, expectError } from "../support/client.ts";

let token: string;
beforeAll(async () => {
  ({ token } = await createAccount());
});

const translateBatch = (body: unknown) => call("/tasks/translate/batch", { token, body });
const translate = (body: unknown) => call("/tasks/translate", { token, body });

const quota = z.object({ used: z.int(), limit: z.int(), remaining: z.int() });
const usedCharacters = async () => {
  const { body } = await call("/auth/usage", { token });
  return quota.parse(body.characters_this_month);
};

describe("POST /tasks/translate/batch", () => {
  it("translates a list in its order, with languages of its own for an item", async () => {
    const response = await translateBatch({
      source_language: "eng",
      target_language: "lug",
      items: [
        { text: "Thank you" },
        { text: "Good morning", target_language: "Acholi" },
        { text: "How are you?", source_language: "auto" },
      ],
    });
    expectDeclared(translateBatchOperation, response);
    expect(response.status).toBe(200);
    expect(response.body.results).toMatchObject([
      { index: 0, status: "COMPLETED", source_language: "eng", target_language: "lug", error_code: null },
      { index: 1, status: "COMPLETED", source_language: "eng", target_language: "ach", error_code: null },
      { index: 2, status: "COMPLETED", source_language: "eng", target_language: "lug", error_code: null },
    ]);
  });

  it("names the source language that each text shows", async () => {
    const response = await translateBatch({
      target_language: "ach",
      items: [
        { text: "Watoto wanaenda shuleni kila siku" },
        { text: "Asante" },
        { text: "Abaana bagenda ku ssomero buli lunaku" },
      ],
    });
    expectDeclared(translateBatchOperation, response);
    expect(response.body.results).toMatchObject([
      { source_language: "swa" },
      { source_language: null },
      { source_language: "lug" },
    ]);
  });

  it.runIf(inject("isLocal"))("returns what the sample server's phrasebook has", async () => {
    const { body } = await translateBatch({ target_language: "lug", items: [{ text: "Thank you" }] });
    expect(body.results[0]).toMatchObject({ translated_text: "Webale" });
  });

  it("counts one request, and the characters of distinct texts on the month", async () => {
    const before = await usedCharacters();
    const response = await translateBatch({
      target_language: "lug",
      items: [{ text: "Thank you" }, { text: "Thank you" }, { text: "Hello" }],
    });
    const after = await usedCharacters();
    expect(after.used - before.used).toBe(14);
    expect(response.body.usage).toEqual({ characters: 14, characters_remaining: after.remaining });
    expect(response.headers.get("x-ratelimit-limit-characters")).toBe(String(after.limit));
    expect(response.headers.get("x-ratelimit-remaining-characters")).toBe(String(after.remaining));
  });

  it("refuses the whole list for one wrong language, with the item's position", async () => {
    const before = await usedCharacters();
    const response = await translateBatch({
      target_language: "lug",
      items: [{ text: "Hello" }, { text: "Hello", target_language: "Klingon" }],
    });
    expectError(response, 400, "unsupported_language");
    expect(response.body.error).toMatchObject({ param: "items[1].target_language" });
    expect(response.body.error.message).toMatch(/^item index 1: Unsupported language 'Klingon'/);
    expect((await usedCharacters()).used).toBe(before.used);
  });

  it("names an item without a target language", async () => {
    const response = await translateBatch({ items: [{ text: "Hello" }] });
    expectDeclared(translateBatchOperation, response);
    expect(response).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "items", 0, "target_language"] }] },
    });
  });

  it.each([
    ["no items", []],
    ["51 items", Array.from({ length: 51 }, () => ({ text: "Hello" }))],
    ["a text of 5,001 characters", [{ text: "a".repeat(5_001) }]],
    ["an empty text", [{ text: " " }]],
  ])("refuses %s with 422", async (_what, items) => {
    const response = await translateBatch({ target_language: "lug", items });
    expectDeclared(translateBatchOperation, response);
    expect(response.status).toBe(422);
  });

  it("refuses more than 128 kB with 413", async () => {
    const items = Array.from({ length: 30 }, () => ({ text: "a".repeat(4_900) }));
    expectError(await translateBatch({ target_language: "lug", items }), 413, "payload_too_large");
  });
});

describe("markup", () => {
  it("keeps tags, code, links and placeholders of HTML", async () => {
    const text =
      '<h1>Thank you</h1>\n<p class="notranslate">Hello</p><code>Hello</code><a href="/hello"><b>Thank you</b></a> <br>';
    const response = await translate({ target_language: "lug", format: "html", text });
    expectDeclared(translateOperation, response);
    const { translated_text: translated, segments_kept: untranslated } = response.body.output;
    expect(untranslated).toEqual([]);
    expect(translated).toContain('<p class="notranslate">Hello</p><code>Hello</code><a href="/hello"><b>');
    if (inject("isLocal")) expect(translated).toContain("<h1>Webale</h1>");
  });

  it("keeps the structure of Markdown, also in lists", async () => {
    const text = "# Thank you\n\n- Thank you\n- `Hello`\n\n[Thank you](https://example.org/hello)";
    const response = await translateBatch({ target_language: "lug", format: "markdown", items: [{ text }] });
    expectDeclared(translateBatchOperation, response);
    const [result] = response.body.results;
    expect(result).toMatchObject({ status: "COMPLETED", segments_kept: [] });
    expect(result.translated_text).toMatch(
      /^# .+\n\n- .+\n- `Hello`\n\n\[.+\]\(https:\/\/example\.org\/hello\)$/,
    );
  });

  it("is not read in plain text, which the model sees as it was sent", async () => {
    const { body } = await translate({ target_language: "lug", text: "Thank you" });
    expect(body.output).not.toHaveProperty("segments_kept");
  });
});

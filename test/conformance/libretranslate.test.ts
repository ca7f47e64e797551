import { beforeAll, describe, expect, inject, it } from "vitest";
import { libreTranslateFileOperation } from "../../functions/jobs/libretranslate/contract.ts";
import {
  libreDetectOperation,
  libreLanguagesOperation,
  libreSettingsOperation,
  libreTranslateOperation,
} from "../../functions/translate/libretranslate/contract.ts";
import type { ErrorCode } from "../../shared/platform/errors/catalogue.ts";
import { call, createAccount, expectDeclared, expectErrorOf } from "../support/client.ts";
import { formData } from "../support/multipart.ts";

let token: string;
/** Each part has an account of its own, as a minute allows fewer requests than this file sends. */
const withOwnAccount = () =>
  beforeAll(async () => {
    ({ token } = await createAccount());
  });

const translate = (body: object) => call("/libretranslate/translate", { body: { api_key: token, ...body } });

describe("POST /libretranslate/translate", () => {
  withOwnAccount();

  it("translates a text", async () => {
    const response = await translate({ q: "Thank you", source: "en", target: "lg" });
    expectDeclared(libreTranslateOperation, response);
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ translatedText: inject("isLocal") ? "Webale" : expect.any(String) });
    expect(response.headers.has("x-ratelimit-remaining-characters")).toBe(true);
  });

  it("translates a list, and detects each language", async () => {
    const q = ["Good morning, how are you today?", "Wasuze otya nno, ssebo?", " "];
    const response = await translate({ q, source: "auto", target: "ach" });
    expectDeclared(libreTranslateOperation, response);
    const { translatedText, detectedLanguage } = response.body;
    expect(translatedText).toHaveLength(3);
    expect(translatedText[2]).toBe(" ");
    expect(detectedLanguage).toMatchObject([{ language: "en" }, { language: "lg" }, {}]);
    expect(detectedLanguage[0].confidence).toBeGreaterThan(80);
  });

  it("detects languages beyond the six of the language identification", async () => {
    const q = "Watoto wanaenda shuleni kila siku";
    const response = await translate({ q, target: "lg" });
    expect(response.body.detectedLanguage).toMatchObject({ language: "sw" });
    expect(response.body.detectedLanguage.confidence).toBeGreaterThanOrEqual(95);
    const detected = await call("/libretranslate/detect", { body: { q, api_key: token } });
    expect(detected.body).toEqual([response.body.detectedLanguage]);
  });

  it.each(["lg", "lug", "LG", "Luganda"])("knows the language %s", async (target) => {
    expect(await translate({ q: "Hello", target })).toMatchObject({ status: 200 });
  });

  it.each<[string, () => [string, Parameters<typeof call>[1]]]>([
    ["in JSON", () => ["", { body: { q: "Hello", target: "lg", api_key: token } }]],
    ["in a form", () => ["", { body: new URLSearchParams({ q: "Hello", target: "lg", api_key: token }) }]],
    ["in a form with parts", () => ["", { body: formData({ q: "Hello", target: "lg", api_key: token }) }]],
    ["in the query", () => [`?api_key=${token}`, { body: { q: "Hello", target: "lg" } }]],
    ["in our own form", () => ["", { token, body: { q: "Hello", target: "lg" } }]],
  ])("reads the key %s", async (_where, request) => {
    const [query, options] = request();
    expect(await call(`/libretranslate/translate${query}`, options)).toMatchObject({ status: 200 });
  });

  it("keeps the tags of HTML", async () => {
    const q = "<p>Thank you <a href='/x'>Amina</a></p>";
    const { body } = await translate({ q, source: "en", target: "lg", format: "html" });
    expect(body.translatedText).toMatch(/^<p>.*<a href='\/x'>.+<\/a>.*<\/p>$/);
  });

  it.each<[string, object, ErrorCode, RegExp]>([
    ["no key", { api_key: undefined }, "unauthenticated", /Invalid API key/],
    ["an empty key", { api_key: "" }, "unauthenticated", /Invalid API key/],
    ["a bad key", { api_key: "nonsense" }, "unauthenticated", /Invalid API key/],
    ["a key that is no text", { api_key: 7 }, "unauthenticated", /Invalid API key/],
    ["no text", { q: undefined }, "validation_failed", /q: Field required/],
    ["no target language", { target: undefined }, "validation_failed", /target: Field required/],
    ["an unknown language", { target: "tlh" }, "unsupported_language", /Unsupported language/],
    ["two equal languages", { source: "lug" }, "same_language", /must be different/],
    ["another format", { format: "markdown" }, "unsupported_parameter", /`text`, `html`/],
    ["alternatives", { alternatives: 3 }, "unsupported_parameter", /Alternative translations/],
    ["an unknown parameter", { secret: "x" }, "unsupported_parameter", /'secret' is not known/],
    ["a long text", { q: "a".repeat(5_001) }, "payload_too_large", /more than 5,000/],
    ["51 texts", { q: Array(51).fill("Hello") }, "payload_too_large", /at most 50 texts/],
  ])("refuses %s", async (_what, change, code, message) => {
    const response = await translate({ q: "Hello", source: "en", target: "lg", ...change });
    expectErrorOf(libreTranslateOperation, response, code);
    expect(response.body.error).toMatch(message);
  });

  it("reports a body that cannot be read, as its key cannot be read either", async () => {
    const headers = { "Content-Type": "application/json" };
    const response = await call("/libretranslate/translate", {
      headers,
      body: '{"q": "Hello" "api_key": "x"}',
    });
    expectErrorOf(libreTranslateOperation, response, "validation_failed");
  });

  it("never repeats a key", async () => {
    const response = await call(`/libretranslate/translate?api_key=${token}x`, {
      body: { q: 7, target: "lg", api_key: `${token}x` },
    });
    expect(JSON.stringify(response.body)).not.toContain(token);
  });
});

describe("the other routes below /libretranslate", () => {
  withOwnAccount();

  it("detect the language of a text", async () => {
    const response = await call("/libretranslate/detect", {
      body: { q: "Wasuze otya nno, ssebo?", api_key: token },
    });
    expectDeclared(libreDetectOperation, response);
    expect(response.body).toMatchObject([{ language: "lg", confidence: expect.any(Number) }]);
    expect(response.body[0].confidence).toBeGreaterThan(50);
    expectErrorOf(
      libreDetectOperation,
      await call("/libretranslate/detect", { body: { q: "Hello" } }),
      "unauthenticated",
    );
  });

  it("list the languages for anyone, with a key or without one", async () => {
    const response = await call("/libretranslate/languages");
    expectDeclared(libreLanguagesOperation, response);
    expect(response.body).toHaveLength(32);
    const luganda = response.body.find(({ code }: { code: string }) => code === "lg");
    expect(luganda).toMatchObject({ name: "Luganda" });
    expect(luganda.targets).toHaveLength(31);
    expect(luganda.targets).toEqual(expect.arrayContaining(["en", "ach", "sw"]));
    expect((await call(`/libretranslate/languages?api_key=${token}`)).body).toEqual(response.body);
  });

  it("show the settings for anyone", async () => {
    const response = await call("/libretranslate/frontend/settings");
    expectDeclared(libreSettingsOperation, response);
    expect(response.body).toMatchObject({ keyRequired: true, charLimit: 5_000, suggestions: false });
    expect(response.body.supportedFilesFormat).toEqual(expect.arrayContaining([".docx", ".srt"]));
  });

  it("report a path that does not exist, and a method, in LibreTranslate's form", async () => {
    expectErrorOf(
      { path: "/libretranslate/suggest" },
      await call("/libretranslate/suggest", { body: {} }),
      "not_found",
    );
    expectErrorOf(libreTranslateOperation, await call("/libretranslate/translate"), "method_not_allowed");
  });
});

describe("POST /libretranslate/translate_file", () => {
  withOwnAccount();

  const send = (name: string, content: string, fields: Record<string, string> = {}) =>
    call("/libretranslate/translate_file", {
      body: formData({
        file: new File([content], name),
        source: "en",
        target: "lg",
        api_key: token,
        ...fields,
      }),
    });

  it("returns a link to the document that needs no key", async () => {
    const before = await call("/auth/usage", { token });
    const response = await send("notes ŋ.html", "<h1>Thank you</h1><code>Hello</code>");
    expectDeclared(libreTranslateFileOperation, response);
    expect(response.status).toBe(200);
    const file = await fetch(response.body.translatedFileUrl);
    expect(file.headers.get("content-type")).toContain("text/html");
    expect(file.headers.get("content-disposition")).toMatch(
      /filename="notes_._?\.lg?u?g?\.html"|\.lug\.html"/,
    );
    const text = await file.text();
    expect(text).toMatch(/^<h1>[^<]+<\/h1><code>Hello<\/code>$/);
    if (inject("isLocal")) expect(text).toContain("Webale");
    const after = await call("/auth/usage", { token });
    expect(after.body.characters_this_month.used - before.body.characters_this_month.used).toBe(9);
  });

  it.each<[string, () => ReturnType<typeof send>, ErrorCode, RegExp]>([
    ["no key", () => send("a.txt", "Hello", { api_key: "" }), "unauthenticated", /Invalid API key/],
    ["a document without words", () => send("a.txt", "12"), "unreadable_document", /no words/],
    [
      "a damaged document",
      () => send("a.json", '{"greeting": "Hello"'),
      "unreadable_document",
      /JSON is invalid/,
    ],
    [
      "an unknown language",
      () => send("a.txt", "Hello", { target: "tlh" }),
      "unsupported_language",
      /Unsupported/,
    ],
    ["an unknown field", () => send("a.txt", "Hello", { secret: "x" }), "unsupported_parameter", /'secret'/],
  ])("refuses %s, and counts nothing", async (_what, request, code, message) => {
    const before = await call("/auth/usage", { token });
    const response = await request();
    expectErrorOf(libreTranslateFileOperation, response, code);
    expect(response.body.error).toMatch(message);
    const after = await call("/auth/usage", { token });
    expect(after.body.characters_this_month.used).toBe(before.body.characters_this_month.used);
  });

  it("requires a file", async () => {
    const response = await call("/libretranslate/translate_file", {
      body: formData({ target: "lg", api_key: token }),
    });
    expectErrorOf(libreTranslateFileOperation, response, "validation_failed");
    expect(response.body.error).toMatch(/file: Field required/);
  });
});

describe("programs that know LibreTranslate", () => {
  withOwnAccount();

  it("Mastodon: JSON with lists of HTML, and its languages without a key", async () => {
    const languages = await call("/libretranslate/languages", {
      headers: { "Content-Type": "application/json" },
    });
    expect(languages.body.every(({ targets }: { targets: string[] }) => targets.length > 0)).toBe(true);
    const response = await translate({
      q: ["<p>Thank you</p>", "Good morning, how are you today?"],
      source: "auto",
      target: "lg",
      format: "html",
    });
    expectDeclared(libreTranslateOperation, response);
    expect(response.body.translatedText[0]).toMatch(/^<p>[^<]+<\/p>$/);
    expect(response.body.detectedLanguage[1]).toMatchObject({ language: "en" });
  });

  it("Weblate: a form without a format", async () => {
    const body = new URLSearchParams({ api_key: token, q: "Save & close", source: "en", target: "lg" });
    const response = await call("/libretranslate/translate", { body });
    expectDeclared(libreTranslateOperation, response);
    expect(response.body.translatedText).toEqual(expect.any(String));
  });

  it("Subtitle Edit: JSON with lines", async () => {
    const response = await translate({ q: "Thank you\nThank you", source: "en", target: "lg" });
    expect(response.body.translatedText.split("\n")).toHaveLength(2);
  });
});

import { beforeAll, describe, expect, inject, it } from "vitest";
import {
  deeplLanguagesOperation,
  deeplPostLanguagesOperation,
  deeplTranslateOperation,
  deeplUsageOperation,
} from "../../functions/translate/deepl/contract.ts";
import {
  deeplGlossariesOperation,
  deeplGlossaryPairsOperation,
  deeplThirdGlossariesOperation,
} from "../../functions/translate/deepl/glossaries-contract.ts";
import type { ErrorCode } from "../../shared/platform/errors/catalogue.ts";
import { type CallOptions, call, createAccount, expectDeclared, expectErrorOf } from "../support/client.ts";

let token: string;
/** Each part has an account of its own, as a minute allows fewer requests than this file sends. */
const withOwnAccount = () =>
  beforeAll(async () => {
    ({ token } = await createAccount());
  });

const withKey = (path: string, options: CallOptions = {}) =>
  call(`/deepl/v2/${path}`, {
    ...options,
    headers: { Authorization: `DeepL-Auth-Key ${token}`, ...options.headers },
  });

const translate = (body: unknown) => withKey("translate", { body });
const one = async (text: string, options: object = {}) => {
  const response = await translate({ text: [text], target_lang: "LG", source_lang: "EN", ...options });
  expectDeclared(deeplTranslateOperation, response);
  expect(response.status).toBe(200);
  return response.body.translations[0];
};

const form = (fields: readonly (readonly [string, string])[]) =>
  new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value]));

describe("POST /deepl/v2/translate", () => {
  withOwnAccount();

  it("accepts a form with several texts, as URL-encoded text", async () => {
    const body = form([
      ["text", "Thank you"],
      ["text", "Good morning"],
      ["target_lang", "LUG"],
      ["source_lang", "EN"],
    ]);
    const response = await translate(body);
    expectDeclared(deeplTranslateOperation, response);
    expect(response.body.translations).toHaveLength(2);
    expect(response.body.translations[0]).not.toHaveProperty("billed_characters");
    expect(response.headers.has("x-ratelimit-remaining-characters")).toBe(true);
  });

  it.each(["LUG", "lug", "LG", "lg", "lg-UG", "EN-GB", "en-us", "EN"])(
    "knows the language code %s",
    async (target_lang) => {
      const response = await translate({ text: "Apwoyo", target_lang, source_lang: "ACH" });
      expect(response).toMatchObject({
        status: 200,
        body: { translations: [{ detected_source_language: "ACH" }] },
      });
    },
  );

  it.each([
    ["LUG", "LUG"],
    ["LG", "LG"],
    ["en-GB", "EN"],
  ])("returns the source language %s as %s", async (source_lang, detected) => {
    const response = await translate({ text: "Webale", target_lang: "ACH", source_lang });
    expect(response.body.translations[0].detected_source_language).toBe(detected);
  });

  it.each([
    ["Watoto wanaenda shuleni kila siku", "SW"],
    ["Abaana bagenda ku ssomero buli lunaku", "LG"],
    ["Dano weng gitye ki twero me kwan", "ACH"],
    ["Asante", "UND"],
  ])("returns the language that %j shows as %s", async (text, detected) => {
    const response = await translate({ text, target_lang: "EN" });
    expectDeclared(deeplTranslateOperation, response);
    expect(response.body.translations[0].detected_source_language).toBe(detected);
  });

  it("also accepts a key in our own form", async () => {
    const body = { text: ["Thank you"], target_lang: "LG" };
    expect(await call("/deepl/v2/translate", { token, body })).toMatchObject({ status: 200 });
  });

  it("returns texts without words as they are", async () => {
    const response = await translate({ text: ["", " \n ", "Thank you"], target_lang: "LG" });
    const texts = response.body.translations.map(({ text }: { text: string }) => text);
    expect(texts.slice(0, 2)).toEqual(["", " \n "]);
    expect(texts[2]).not.toBe("");
  });

  it.runIf(inject("isLocal"))("keeps the number of lines, and the space around a text", async () => {
    expect(await one("Thank you\n\nThank you")).toMatchObject({ text: "Webale\n\nWebale" });
    expect(await one("  Thank you\n")).toMatchObject({ text: "  Webale\n" });
  });

  it.runIf(inject("isLocal"))("reads the end of a line as a space with `nonewlines`", async () => {
    expect(await one("Thank\nyou", { split_sentences: "nonewlines" })).toMatchObject({ text: "Webale" });
  });

  it.each([
    ["a truth value", true, 9],
    ["a number", 1, 9],
    ["a word of forms", "1", 9],
    ["no", "0", undefined],
  ])("shows the billed characters when asked with %s", async (_what, show_billed_characters, billed) => {
    expect((await one("Thank you", { show_billed_characters })).billed_characters).toBe(billed);
  });

  it.runIf(inject("isLocal")).each([
    ["html", "<P>Thank you</P><code>Thank you</code>", {}, "<P>Webale</P><code>Thank you</code>"],
    ["html", "<em>Thank you</em><i>Hello</i>", { ignore_tags: "i" }, "<em>Webale</em><i>Hello</i>"],
    [
      "xml",
      '<a t="Hello"><b>Thank you</b><c>Thank you</c></a>',
      { ignore_tags: ["c"] },
      '<a t="Hello"><b>Webale</b><c>Thank you</c></a>',
    ],
    ["xml", "<s>Thank you</s> <s>Thank you</s>", {}, "<s>Webale</s> <s>Webale</s>"],
    ["xml", 'Thank you<br/> <x id="1"></x>', { ignore_tags: "x,y" }, 'Webale<br/> <x id="1"></x>'],
    ["xml", "Thank you<s/>Thank you", { splitting_tags: "s" }, "Webale<s/>Webale"],
  ])("keeps tags with tag_handling=%s: %s", async (tag_handling, text, options, expected) => {
    expect(await one(text, { tag_handling, ...options })).toMatchObject({ text: expected });
  });

  it("may leave out what is optional as null, and send members that request nothing", async () => {
    const nothing = { source_lang: null, context: null, formality: null, tag_handling: null, style_id: null };
    const unknown = { custom_instructions: [], enable_beta_languages: false };
    const response = await translate({ text: ["Thank you"], target_lang: "LG", ...nothing, ...unknown });
    expect(response.status).toBe(200);
  });

  it.runIf(inject("isLocal")).each([
    ['<?xml version="1.0"?><!DOCTYPE a><a>Thank you</a>', '<?xml version="1.0"?><!DOCTYPE a><a>Webale</a>'],
    ["<a>Thank you", "<a>"],
  ])("translates XML that begins a document, or that is not well-formed: %s", async (text, expected) => {
    expect((await one(text, { tag_handling: "xml" })).text).toContain(expected);
  });

  it.each<[string, object, ErrorCode, RegExp]>([
    ["formality", { formality: "more" }, "unsupported_parameter", /no levels of formality/],
    ["a glossary", { glossary_id: "1" }, "unsupported_parameter", /Glossaries/],
    ["an unknown parameter", { style_id: "1" }, "unsupported_parameter", /'style_id' is not known/],
    ["ignored tags without tags", { ignore_tags: "x" }, "unsupported_parameter", /needs `tag_handling`/],
    [
      "splitting tags of HTML",
      { tag_handling: "html", splitting_tags: "p" },
      "unsupported_parameter",
      /only supported with `tag_handling=xml`/,
    ],
    [
      "no outline of HTML",
      { tag_handling: "html", outline_detection: false },
      "unsupported_parameter",
      /outline_detection/,
    ],
    ["another handling", { tag_handling: "rtf" }, "unsupported_parameter", /`html`, `xml`/],
    ["another split", { split_sentences: "2" }, "unsupported_parameter", /split_sentences/],
    ["an unknown language", { target_lang: "TLH" }, "unsupported_language", /Unsupported language/],
    ["two equal languages", { target_lang: "EN-US" }, "same_language", /must be different/],
    ["no target language", { target_lang: undefined }, "validation_failed", /target_lang: Field required/],
    ["51 texts", { text: Array(51).fill("Hello") }, "payload_too_large", /at most 50 texts/],
    ["a long text", { text: "a".repeat(5_001) }, "payload_too_large", /more than 5,000 characters/],
    ["128 kB", { text: Array(30).fill("a".repeat(4_900)) }, "payload_too_large", /at most 128 kB/],
  ])("refuses %s", async (_what, change, code, message) => {
    const response = await translate({ text: "Hello", source_lang: "EN", target_lang: "LG", ...change });
    expectErrorOf(deeplTranslateOperation, response, code);
    expect(response.body.message).toMatch(message);
  });

  it("repeats the first response to a request with the same Idempotency-Key", async () => {
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const send = () => withKey("translate", { body: { text: ["Hello"], target_lang: "LG" }, headers });
    const [first, second] = [await send(), await send()];
    expect(second.body).toEqual(first.body);
    expect(second.headers.get("idempotent-replayed")).toBe("true");
  });

  it("refuses a key without the scope with 403", async () => {
    const { body: created } = await call("/auth/keys", {
      token: (await createAccount()).token,
      body: { name: "speech", scopes: ["speech"] },
    });
    const response = await call("/deepl/v2/translate", {
      headers: { Authorization: `DeepL-Auth-Key ${created.key}` },
      body: { text: ["Hello"], target_lang: "LG" },
    });
    expectErrorOf(deeplTranslateOperation, response, "insufficient_scope");
  });
});

describe("the other routes below /deepl", () => {
  withOwnAccount();

  it("list the languages, by GET and by POST", async () => {
    const sources = await withKey("languages");
    expectDeclared(deeplLanguagesOperation, sources);
    const codes = sources.body.map(({ language }: { language: string }) => language);
    expect(codes).toEqual(expect.arrayContaining(["EN", "LG", "LUG", "SW", "ACH"]));
    expect(codes).not.toContain("EN-GB");
    const targets = await withKey("languages", { body: form([["type", "target"]]) });
    expectDeclared(deeplPostLanguagesOperation, targets);
    expect(targets.body).toContainEqual({
      language: "EN-GB",
      name: "English (British)",
      supports_formality: false,
    });
    expect((await withKey("languages", { method: "POST" })).body).toEqual(sources.body);
  });

  it("show the month's characters and no glossaries", async () => {
    expectDeclared(deeplUsageOperation, await withKey("usage"));
    const pairs = await withKey("glossary-language-pairs");
    expectDeclared(deeplGlossaryPairsOperation, pairs);
    expect(pairs.body).toEqual({ supported_languages: [] });
    for (const operation of [deeplGlossariesOperation, deeplThirdGlossariesOperation]) {
      const glossaries = await call(operation.path, {
        headers: { Authorization: `DeepL-Auth-Key ${token}` },
      });
      expectDeclared(operation, glossaries);
      expect(glossaries.body).toEqual({ glossaries: [] });
    }
  });

  it("report a path that does not exist, and a method, in DeepL's form", async () => {
    expectErrorOf({ path: "/deepl/v2/write" }, await withKey("write", { body: {} }), "not_found");
    expectErrorOf({ path: "/deepl/v2/usage" }, await withKey("usage", { body: {} }), "method_not_allowed");
  });
});

describe("programs that know DeepL", () => {
  withOwnAccount();

  it("Weblate: JSON with placeholders as ignored elements, by the address …/deepl/v2/", async () => {
    const languages = await withKey("languages?type=target");
    expect(languages.body.map(({ language }: { language: string }) => language)).toContain("LG");
    const response = await translate({
      text: ['Thank you, <x id="11"></x>', "Save &amp; close"],
      source_lang: "EN",
      target_lang: "LG",
      formality: "default",
      tag_handling: "xml",
      ignore_tags: ["x"],
      context: "Buttons of an app",
      model_type: "prefer_quality_optimized",
    });
    expectDeclared(deeplTranslateOperation, response);
    expect(response.body.translations).toHaveLength(2);
    expect(response.body.translations[0].text).toContain('<x id="11"></x>');
  });

  it("Mastodon: a form with HTML, a small target language and perhaps no source", async () => {
    const sources = await withKey("languages?type=source");
    expect(sources.status).toBe(200);
    for (const name of ["text", "text[]"]) {
      const body = form([
        [name, "<p>Thank you</p>"],
        [name, "<p>Hello <a href='https://example.org'>Amina</a></p>"],
        ["source_lang", ""],
        ["target_lang", "lg"],
        ["tag_handling", "html"],
      ]);
      const response = await translate(body);
      expectDeclared(deeplTranslateOperation, response);
      expect(response.body.translations[1].text).toMatch(
        /^<p>.*<a href='https:\/\/example\.org'>.+<\/a>.*<\/p>$/,
      );
      expect(response.body.translations[0].detected_source_language).toMatch(/^[A-Z]{2,3}$/);
    }
  });

  it("Subtitle Edit: a form with lines, small codes and the usual formality", async () => {
    const body = form([
      ["text", "Thank you\nThank you"],
      ["target_lang", "lg"],
      ["source_lang", "en"],
      ["formality", "default"],
    ]);
    const response = await translate(body);
    expectDeclared(deeplTranslateOperation, response);
    expect(response.body.translations[0].text.split("\n")).toHaveLength(2);
  });
});

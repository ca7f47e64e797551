import { describe, expect, it, vi } from "vitest";
import type * as z from "zod";
import { deeplTranslateRequest } from "../../../functions/translate/deepl/contract.ts";
import { furtherTranslateEndpoints } from "../../../functions/translate/further-endpoints.ts";
import { languageModelOnDemand } from "../../../functions/translate/language-model.ts";
import { libreTranslateRequest } from "../../../functions/translate/libretranslate/contract.ts";
import type { CharacterQuota } from "../../../shared/accounts/limits/character-quota.ts";
import type { TranslationRequest } from "../../../shared/models/inference/translation.ts";
import { sourceLanguageDetectorOnDemand } from "../../../shared/models/source-language/detector.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { authorizedCaller, send } from "../../support/send.ts";

const status = { used: 0, limit: 500, resetSeconds: 60 };

const setup = (respond: (request: TranslationRequest) => Promise<string>) => {
  const requested: TranslationRequest[] = [];
  const quota = {
    charge: vi.fn<CharacterQuota["charge"]>(async () => status),
    refund: vi.fn<CharacterQuota["refund"]>(async () => status),
    read: vi.fn<CharacterQuota["read"]>(async () => ({ ...status, limit: undefined })),
  };
  const dependencies = {
    characters: quota,
    languageModel: languageModelOnDemand(),
    sourceDetector: sourceLanguageDetectorOnDemand(),
    translator: {
      translate: async (request: TranslationRequest) => {
        requested.push(request);
        return { text: await respond(request), usage: undefined };
      },
    },
  };
  const endpoints = furtherTranslateEndpoints(dependencies);
  const authorizer = authorizedCaller;
  return {
    requested,
    quota,
    deepl: (body: object) =>
      send(endpoints, { path: "/deepl/v2/translate", authorizer, body: { target_lang: "LG", ...body } }),
    libre: (body: object) =>
      send(endpoints, { path: "/libretranslate/translate", authorizer, body: { target: "lg", ...body } }),
    usage: () => send(endpoints, { method: "GET", path: "/deepl/v2/usage", authorizer }),
    post: (path: string, body: object) => send(endpoints, { path, authorizer, body }),
  };
};

/** The members of a request that may be left out. */
const optionalMembers = ({ shape }: { readonly shape: Readonly<Record<string, z.ZodType>> }): string[] =>
  Object.keys(shape).filter((name) => shape[name]?.safeParse(undefined).success);

const shout = async ({ text }: TranslationRequest): Promise<string> => text.toUpperCase();

describe("A request of a client of DeepL", () => {
  it("sends the model the context, and does not translate or count it", async () => {
    const { deepl, requested, quota } = setup(shout);
    await deepl({ text: ["one", "<b>two</b>"], context: "About numbers", tag_handling: "html" });
    expect(requested.map(({ text, context }) => [text, context])).toEqual([
      ["one", "About numbers"],
      ["two", "About numbers"],
    ]);
    expect(quota.charge).toHaveBeenCalledWith(7, 6);
  });

  it("sends the model the texts before and after one of a list, in markup as well", async () => {
    const { deepl, requested } = setup(shout);
    await deepl({ text: ["<b>one</b>", "two", "three"], tag_handling: "xml" });
    expect(requested.map(({ text, context }) => [text, context])).toEqual([
      ["one", "two"],
      ["two", "<b>one</b>\nthree"],
      ["three", "two"],
    ]);
  });

  it("fails as a whole when one text fails, and counts nothing", async () => {
    const { deepl, quota } = setup(async ({ text }) => {
      if (text === "two") throw new AppError("service_unavailable");
      return text;
    });
    const response = await deepl({ text: ["one", "two", "three"] });
    expect(response).toMatchObject({ status: 503, body: { code: "service_unavailable" } });
    expect(quota.charge).toHaveBeenCalledWith(7, 11);
    expect(quota.refund).toHaveBeenCalledWith(7, 11);
  });

  it("translates lines one by one when the model has joined them, and is counted once", async () => {
    const joining = async ({ text }: TranslationRequest) => text.toUpperCase().replaceAll("\n", " ");
    const { deepl, requested, quota } = setup(joining);
    const { body } = await deepl({ text: "one\n\n  two\n" });
    expect(body.translations).toMatchObject([{ text: "ONE\n\n  TWO\n" }]);
    expect(requested.map(({ text }) => text)).toEqual(["one\n\n  two", "one", "two"]);
    expect(quota.charge).toHaveBeenCalledWith(7, 10);
    expect(quota.refund).not.toHaveBeenCalled();
  });

  it.each([
    ["plain text", {}],
    ["HTML", { tag_handling: "html" }],
    ["XML", { tag_handling: "xml" }],
  ])("has the plural categories of its target in messages of %s", async (_what, options) => {
    const { deepl } = setup(shout);
    const text = "Have {n, plural, one {# cow} few {# cows} other {# cows}} now";
    const { body } = await deepl({ text: [text], ...options });
    expect(body.translations).toMatchObject([{ text: "HAVE {n, plural, one {# COW} other {# COWS}} NOW" }]);
  });

  it("leaves lines to the model with split_sentences=0", async () => {
    const { deepl } = setup(async () => "ONE TWO");
    const { body } = await deepl({ text: "one\ntwo", split_sentences: "0" });
    expect(body.translations).toMatchObject([{ text: "ONE TWO" }]);
  });

  it("reads flags and names of tags in every form that clients send", async () => {
    const { deepl, requested } = setup(shout);
    const { body } = await deepl({
      text: ["<A>one</A><b>two</b>"],
      tag_handling: "html",
      ignore_tags: [" a,c ", "d"],
      show_billed_characters: 1,
      outline_detection: "true",
      preserve_formatting: "0",
    });
    expect(body.translations).toMatchObject([{ text: "<A>one</A><b>TWO</b>", billed_characters: 3 }]);
    expect(requested).toHaveLength(1);
  });

  it("calls no model for texts without words", async () => {
    const { deepl, requested } = setup(shout);
    expect((await deepl({ text: ["", "  "] })).body.translations).toMatchObject([
      { text: "" },
      { text: "  " },
    ]);
    expect(requested).toEqual([]);
  });

  it.each([
    ["a tag without an end", "<a>one <b>two", "<a>ONE <b>TWO"],
    [
      "tags that overlap, after a declaration",
      "<?xml version='1.0'?><a>one<b>two</a></b>",
      "<?xml version='1.0'?><a>ONE<b>TWO</a></b>",
    ],
    ["an ampersand", "<a>one & two</a>", "<a>ONE & TWO</a>"],
    ["a document type that begins a document", "<!DOCTYPE a><a>one</a>", "<!DOCTYPE a><a>ONE</a>"],
    [
      "a declaration and a byte order mark",
      "\uFEFF<?xml version='1.0'?>\n<a>one</a>",
      "\uFEFF<?xml version='1.0'?>\n<a>ONE</a>",
    ],
  ])("translates XML with %s, and the texts around it", async (_what, malformed, expected) => {
    const { deepl } = setup(shout);
    const { body } = await deepl({ text: ["<a>first</a>", malformed, "<a>last</a>"], tag_handling: "xml" });
    expect(body.translations.map(({ text }: { text: string }) => text)).toEqual([
      "<a>FIRST</a>",
      expected,
      "<a>LAST</a>",
    ]);
  });

  it("names a text that cannot be read, and counts nothing", async () => {
    const { deepl, quota } = setup(shout);
    const attributes = Array.from({ length: 1_001 }, (_, index) => index.toString(36));
    const text = ["one", `<p ${attributes.join(" ")}>two</p>`, "three"];
    const response = await deepl({ text, tag_handling: "html" });
    expect(response).toMatchObject({ status: 400, body: { code: "unreadable_document" } });
    expect(response.body.message).toMatch(/^text\[1\]: A tag/);
    expect(quota.charge).not.toHaveBeenCalled();
  });

  it.each(optionalMembers(deeplTranslateRequest.out))("may have null as `%s`", async (name) => {
    const { deepl } = setup(shout);
    expect(await deepl({ text: "one", [name]: null })).toMatchObject({ status: 200 });
  });

  it.each([[[]], [false], [null]])("may have %j for a member that is not known", async (nothing) => {
    const { deepl, post } = setup(shout);
    expect(await deepl({ text: "one", style_id: nothing })).toMatchObject({ status: 200 });
    const languages = await post("/deepl/v2/languages", { type: null, other: nothing });
    expect(languages).toMatchObject({ status: 200 });
  });

  it("shows DeepL's number for an account without a limit", async () => {
    const { usage } = setup(shout);
    expect((await usage()).body).toEqual({ character_count: 0, character_limit: 1_000_000_000_000 });
  });
});

describe("A request of a client of LibreTranslate", () => {
  it("leaves the language to the model with `auto`, and reports the most likely one", async () => {
    const { libre, requested } = setup(shout);
    const { body } = await libre({ q: "Good morning, how are you today?", source: "auto" });
    expect(requested[0]).toMatchObject({ sourceLanguage: undefined, targetLanguage: "Luganda" });
    expect(body.detectedLanguage).toEqual({ language: "en", confidence: expect.any(Number) });
    expect(body.detectedLanguage.confidence).toBeLessThanOrEqual(100);
  });

  it.each([0, "0"])("accepts %j alternatives, as forms and JSON say it", async (alternatives) => {
    const { libre } = setup(shout);
    expect(await libre({ q: "one", alternatives })).toMatchObject({ status: 200 });
  });

  it.each(optionalMembers(libreTranslateRequest.out))("may have null as `%s`", async (name) => {
    const { libre } = setup(shout);
    expect(await libre({ q: "one", [name]: null })).toMatchObject({ status: 200 });
  });

  it.each([[[]], [false], [null]])("may have %j for a member that is not known", async (nothing) => {
    const { libre, post } = setup(shout);
    expect(await libre({ q: "one", model: nothing })).toMatchObject({ status: 200 });
    const body = { q: "Good morning", api_key: null, model: nothing };
    expect(await post("/libretranslate/detect", body)).toMatchObject({ status: 200 });
  });

  it("sends the model the texts before and after one of a list", async () => {
    const { libre, requested } = setup(shout);
    await libre({ q: ["one", "two", "three"], source: "en" });
    expect(requested.map(({ text, context }) => [text, context])).toEqual([
      ["one", "two"],
      ["two", "one\nthree"],
      ["three", "two"],
    ]);
  });

  it("counts what was translated", async () => {
    const { libre, quota } = setup(shout);
    await libre({ q: ["one", "one", "two"], source: "en" });
    expect(quota.charge).toHaveBeenCalledWith(7, 6);
  });
});

import { describe, expect, it, vi } from "vitest";
import { deeplEndpoints, libreTranslateEndpoints } from "../../../functions/translate/endpoints.ts";
import { languageModelOnDemand } from "../../../functions/translate/language-model.ts";
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
  const endpoints = [...deeplEndpoints(dependencies), ...libreTranslateEndpoints(dependencies)];
  const authorizer = authorizedCaller;
  return {
    requested,
    quota,
    deepl: (body: object) =>
      send(endpoints, { path: "/deepl/v2/translate", authorizer, body: { target_lang: "LG", ...body } }),
    libre: (body: object) =>
      send(endpoints, { path: "/libretranslate/translate", authorizer, body: { target: "lg", ...body } }),
    usage: () => send(endpoints, { method: "GET", path: "/deepl/v2/usage", authorizer }),
  };
};

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

  it("counts what was translated", async () => {
    const { libre, quota } = setup(shout);
    await libre({ q: ["one", "one", "two"], source: "en" });
    expect(quota.charge).toHaveBeenCalledWith(7, 6);
  });
});

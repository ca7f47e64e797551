import { describe, expect, it, vi } from "vitest";
import { translateEndpoints } from "../../../functions/translate/endpoints.ts";
import { translationLanguages } from "../../../shared/platform/catalogue/languages.ts";
import { authorizedCaller, send } from "../../support/send.ts";
import { uncountedCharacters } from "../../support/uncounted-characters.ts";
import { unsureDetector } from "../../support/unsure-detector.ts";

const setup = () => {
  const translator = {
    translate: vi.fn().mockResolvedValue({
      text: "Oli otya?",
      usage: { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 },
    }),
  };
  const post = (body: object) =>
    send(
      translateEndpoints({ characters: uncountedCharacters, sourceDetector: unsureDetector, translator }),
      {
        path: "/tasks/translate",
        body,
        authorizer: authorizedCaller,
      },
    );
  return { translator, post };
};
const request = { source_language: "eng", target_language: "lug", text: "How are you?" };

describe("POST /tasks/translate", () => {
  it("returns the translation, the languages' codes and the token counts", async () => {
    const { post } = setup();
    expect(await post(request)).toMatchObject({
      status: 200,
      body: {
        id: expect.stringMatching(/^trans-[0-9a-f]{32}$/),
        status: "COMPLETED",
        output: { translated_text: "Oli otya?", source_language: "eng", target_language: "lug" },
        usage: { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 },
      },
    });
  });

  it.each([
    [{ prompt_tokens: 11, completion_tokens: null, total_tokens: null }],
    [{ prompt_tokens: null, completion_tokens: 3, total_tokens: 14 }],
    [null],
  ])("passes on which tokens the server counted, and which it did not: %j", async (usage) => {
    const { post, translator } = setup();
    translator.translate.mockResolvedValue({ text: "Oli otya?", usage: usage ?? undefined });
    expect((await post(request)).body.usage).toEqual(usage);
  });

  it.each([
    ["html", '<p title="{n, plural, few {# cows} other {Cows}}">Hi</p>'],
    ["markdown", "Hi\n\n![{n, plural, few {# cows} other {Cows}}](a.png)"],
  ])("returns messages with the plural categories of the target, in %s", async (format, text) => {
    const { post, translator } = setup();
    translator.translate.mockImplementation(async (sent) => ({ text: sent.text.toUpperCase() }));
    const { output } = (await post({ ...request, format, text })).body;
    expect(output.translated_text).toBe(
      text.replace("few {# cows} ", "").replace("Cows", "COWS").replace("Hi", "HI"),
    );
  });

  it("sends the model the languages' names and the trimmed text", async () => {
    const { post, translator } = setup();
    await post({ source_language: "LUG", target_language: " english ", text: "  Webale nnyo  " });
    expect(translator.translate).toHaveBeenCalledWith(
      { text: "Webale nnyo", sourceLanguage: "Luganda", targetLanguage: "English" },
      expect.anything(),
    );
  });

  it.each([{}, { source_language: null }])("leaves the source to the model with %j", async (source) => {
    const { post, translator } = setup();
    const response = await post({ target_language: "lug", text: "Hello", ...source });
    expect(translator.translate.mock.calls[0]?.[0]).toMatchObject({ sourceLanguage: undefined });
    expect(response.body.output.source_language).toBeNull();
  });

  it.each([
    ["runyankore", "nyn"],
    ["Dhopadhola", "adh"],
    ["lg", "lug"],
    ["SW", "swa"],
    ["rw", "kin"],
    ["pko", "pok"],
    ["Ma\u2019di", "mhi"],
  ])("knows %s as %s", async (alias, code) => {
    const { post } = setup();
    const response = await post({ target_language: alias, text: "Hello" });
    expect(response.body.output.target_language).toBe(code);
  });

  it.each(["fra", "Klingon", "", " "])(
    "refuses the language %j and lists those it knows",
    async (unknown) => {
      const { post, translator } = setup();
      const response = await post({ ...request, source_language: unknown });
      expect(response).toMatchObject({
        status: 400,
        body: { error: { code: "unsupported_language", param: "source_language" } },
      });
      expect(response.body.error.supported_languages).toHaveLength(32);
      expect(response.body.detail).toContain("Supported languages: Acholi, Alur, Aringa");
      expect(translator.translate).not.toHaveBeenCalled();
    },
  );

  it.each([
    ["lug", "Luganda"],
    ["Luganda", "LG"],
  ])("refuses %s to %s: they are one language", async (source, target) => {
    const { post } = setup();
    const response = await post({ source_language: source, target_language: target, text: "Hello" });
    expect(response).toMatchObject({ status: 400, body: { error: { code: "same_language" } } });
    expect(response.body.detail).toContain("different");
    expect(response.body.error.supported_languages).toHaveLength(32);
  });

  it.each(["x", "x".repeat(5_000)])("takes a text of 1 to 5,000 characters", async (text) => {
    const { post, translator } = setup();
    expect(await post({ ...request, text })).toMatchObject({ status: 200 });
    expect(translator.translate.mock.calls[0]?.[0]).toMatchObject({ text });
  });

  it.each([
    [{ text: "   " }, "string_too_short"],
    [{ text: "x".repeat(5_001) }, "string_too_long"],
    [{ text: undefined }, "missing"],
  ])("names the text as the problem", async (change, type) => {
    const { post, translator } = setup();
    const response = await post({ ...request, ...change });
    expect(response).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "text"], type }] } });
    expect(translator.translate).not.toHaveBeenCalled();
  });
});

describe("the list of languages", () => {
  it("has 32, each with a code and names that mean nothing else", () => {
    expect(translationLanguages).toHaveLength(32);
    const names = translationLanguages.flatMap(({ code, name, aliases }) => [code, name, ...aliases]);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
  });
});

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { translateEndpoints } from "../../functions/translate/endpoints.ts";
import { furtherTranslateEndpoints } from "../../functions/translate/further-endpoints.ts";
import { languageModelOnDemand } from "../../functions/translate/language-model.ts";
import { createTranslator } from "../../shared/models/inference/openai/translator.ts";
import { logger } from "../../shared/platform/telemetry/logger.ts";
import { completion, type FakeBackend, responding, startFakeBackend } from "../support/fake-backend.ts";
import { modelServer } from "../support/model-servers.ts";
import { authorizedCaller, send } from "../support/send.ts";
import { uncountedCharacters } from "../support/uncounted-characters.ts";
import { unsureDetector } from "../support/unsure-detector.ts";

let server: FakeBackend;
beforeAll(async () => {
  for (const level of ["error", "warn"] as const) vi.spyOn(logger, level).mockReturnValue();
  server = await startFakeBackend();
});
afterAll(async () => {
  vi.restoreAllMocks();
  await server.close();
});

const languageModel = languageModelOnDemand();

const endpointsWith = (profile = {}) => {
  const translator = createTranslator([modelServer({ baseUrl: server.baseUrl, profile })]);
  const dependencies = {
    ...{ translator, languageModel },
    characters: uncountedCharacters,
    sourceDetector: unsureDetector,
  };
  return [...translateEndpoints(dependencies), ...furtherTranslateEndpoints(dependencies)];
};

const post = (path: string, body: object, profile = {}) =>
  send(endpointsWith(profile), {
    path,
    body,
    authorizer: authorizedCaller,
    remainingMilliseconds: 60_000,
  });

interface Text {
  readonly text: string;
  readonly source?: string;
  readonly target: string;
}

/** What each door is sent, and where it returns the translation. */
const doors = {
  "/tasks/translate": {
    body: ({ text, source, target }: Text) => ({ text, source_language: source, target_language: target }),
    translation: { output: { translated_text: expect.any(String) } },
  },
  "/tasks/translate/batch": {
    body: ({ text, source, target }: Text) => ({
      items: [{ text, source_language: source, target_language: target }],
    }),
    translation: { results: [{ translated_text: expect.any(String) }] },
  },
  "/deepl/v2/translate": {
    body: ({ text, source, target }: Text) => ({ text: [text], source_lang: source, target_lang: target }),
    translation: { translations: [{ text: expect.any(String) }] },
  },
  "/libretranslate/translate": {
    body: ({ text, source, target }: Text) => ({ q: text, source: source ?? "auto", target }),
    translation: { translatedText: expect.any(String) },
  },
} as const;

const farmer: Text = {
  text: "The farmer sold twenty bags of rice at the market.",
  source: "eng",
  target: "lug",
};
const sold = "Omulimi yatunda ensawo z'omuceere abiri mu katale.";

describe("a reply that is no translation is requested once more, and is then 502 at", () => {
  it.each(Object.keys(doors) as (keyof typeof doors)[])("%s", async (path) => {
    const { body, translation } = doors[path];
    const refusal = responding(200, completion("I'm sorry, but I can't assist with that."));
    server.behave(refusal);
    expect(await post(path, body(farmer))).toMatchObject({ status: 502 });
    expect(server.received).toHaveLength(2);
    server.behave(refusal, responding(200, completion(sold)));
    expect(await post(path, body(farmer))).toMatchObject({ status: 200, body: translation });
    expect(server.received).toHaveLength(2);
  });

  it("any of them in LibreTranslate's dialect", async () => {
    const profile = { translation: { dialect: "libretranslate" } };
    const [path] = ["/tasks/translate"] as const;
    for (const translatedText of [farmer.text, "", `${sold} `.repeat(5)]) {
      server.behave(responding(200, { translatedText }));
      expect(await post(path, doors[path].body(farmer), profile)).toMatchObject({ status: 502 });
      expect(server.received).toHaveLength(2);
    }
    server.behave(responding(200, { translatedText: sold }));
    expect(await post(path, doors[path].body(farmer), profile)).toMatchObject({
      status: 200,
      body: { output: { translated_text: sold } },
    });
  });
});

const translated = async (reply: string, text: Text) => {
  server.behave(responding(200, completion(reply)));
  const { status, body } = await post("/tasks/translate", doors["/tasks/translate"].body(text));
  return status === 200 ? body.output.translated_text : body.detail;
};

const short: Text = { text: "Good morning.", source: "eng", target: "lug" };
const fromLuganda: Text = { text: "Omwana wange alina omusujja.", source: "lug", target: "eng" };

describe("what a model replied", () => {
  it.each<[what: string, text: Text, reply: string, expected: string]>([
    ["a translation", farmer, sold, sold],
    ["quotation marks around it", short, "“Wasuze otya?”", "Wasuze otya?"],
    ["an announcement", short, "Sure! Here's the translation:\n\nWasuze otya?", "Wasuze otya?"],
    ["a code fence and a note", short, "```\nWasuze otya?\n```\n\n(Note: informal.)", "Wasuze otya?"],
    ["the source as well", farmer, `${farmer.text} => ${sold}`, sold],
    [
      "titles that stay",
      { ...short, text: "Uganda Bureau of Statistics" },
      "Uganda Bureau of Statistics",
      "Uganda Bureau of Statistics",
    ],
    [
      "a text that close languages share",
      { text: "Omusajja agenda mu nnyumba ye okulya emmere", source: "lug", target: "xog" },
      "Omusajja agenda mu nnyumba ye okulya emmere",
      "Omusajja agenda mu nnyumba ye okulya emmere",
    ],
    [
      "an apology of its source",
      { text: "Nsonyiwa naye sisobola kujja.", source: "lug", target: "eng" },
      "I'm sorry, but I can't come.",
      "I'm sorry, but I can't come.",
    ],
    ["the source", farmer, farmer.text, "The model returned the text as it was."],
    [
      "the source, with an unnamed language",
      { text: farmer.text, target: "lug" },
      farmer.text,
      "The model returned the text as it was.",
    ],
    [
      "a refusal",
      farmer,
      "As an AI language model, I cannot translate this.",
      "The model refused to translate the text.",
    ],
    [
      "a refusal in the target language",
      fromLuganda,
      "I'm sorry, but I can't help with that.",
      "The model refused to translate the text.",
    ],
    [
      "its instruction",
      farmer,
      `Translate from English to Luganda: ${sold}`,
      "The model repeated its instruction instead of a translation.",
    ],
    [
      "its system message",
      farmer,
      "You are a translation engine.",
      "The model repeated its instruction instead of a translation.",
    ],
    [
      "an explanation",
      farmer,
      "This sentence says that someone sold a lot of rice at a market.",
      "The model replied in another language than the target.",
    ],
    [
      "an explanation behind it",
      short,
      "Wasuze otya?\nThis is a polite greeting that people use in the morning.",
      "The model replied in another language than the target.",
    ],
    [
      "the same words without an end",
      short,
      "Wasuze otya nno ssebo? ".repeat(10),
      "The model repeated itself without an end.",
    ],
    ["no words", short, "…", "The model returned an empty reply."],
    ["an announcement alone", short, "Here is the translation:", "The model returned an empty reply."],
  ])("%s", async (_what, text, reply, expected) => {
    expect(await translated(reply, text)).toBe(expected);
  });
});

describe("a text with markup", () => {
  const html = "<p>The farmer sold rice at the market.</p><p>She teaches mathematics at the school.</p>";
  const replies = (second: string) =>
    server.behave((response) => {
      const isFirst = (server.received.at(-1)?.body ?? "").includes("farmer");
      responding(200, completion(isFirst ? "Omulimi yatunda omuceere." : second))(response, response.req);
    });
  const body = { text: html, format: "html", source_language: "eng", target_language: "lug" };

  it("keeps a passage whose reply is no translation, and says why", async () => {
    replies("I cannot translate that.");
    expect(await post("/tasks/translate", body)).toMatchObject({
      status: 200,
      body: {
        output: {
          translated_text: "<p>Omulimi yatunda omuceere.</p><p>She teaches mathematics at the school.</p>",
          segments_kept: [{ index: 1, reason: "refused" }],
        },
      },
    });
    // The other passage was requested twice.
    expect(server.received).toHaveLength(3);
  });

  it("fails where the response cannot say what stayed, and where nothing was translated", async () => {
    replies("I cannot translate that.");
    const deepl = { text: [html], tag_handling: "html", source_lang: "EN", target_lang: "LG" };
    expect(await post("/deepl/v2/translate", deepl)).toMatchObject({ status: 502 });
    server.behave(responding(200, completion("I cannot translate that.")));
    expect(await post("/tasks/translate", body)).toMatchObject({ status: 502 });
  });

  it("requests a passage twice at most, for any faults of its replies", async () => {
    server.behave(
      responding(200, completion("Omulimi <1>yatunda.")),
      responding(200, completion("I cannot translate that.")),
      responding(200, completion("Omulimi <1>yatunda</1>.")),
    );
    const [passage] = ["<p>The farmer <b>sold rice</b> at the market.</p>"];
    expect(await post("/tasks/translate", { ...body, text: passage })).toMatchObject({ status: 502 });
    expect(server.received).toHaveLength(2);
  });
});

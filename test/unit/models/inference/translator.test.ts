import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTranslator } from "../../../../shared/models/inference/openai/translator.ts";
import type { GivenProfile } from "../../../../shared/models/inference/profile-schema.ts";
import type { TranslationRequest } from "../../../../shared/models/inference/translation.ts";
import {
  completion,
  type FakeBackend,
  hanging,
  resetting,
  responding,
  startFakeBackend,
} from "../../../support/fake-backend.ts";
import { modelServer } from "../../../support/model-servers.ts";

let backend: FakeBackend;
beforeAll(async () => {
  backend = await startFakeBackend();
});
afterAll(() => backend.close());

const unlimited = () => ({ signal: new AbortController().signal });

const request = { text: "How are you?", sourceLanguage: "English", targetLanguage: "Luganda" };

const translate = (
  overrides: Partial<typeof request> | { sourceLanguage: undefined } = {},
  baseUrl = backend.baseUrl,
) =>
  createTranslator([
    modelServer({ baseUrl, apiKey: async () => "the-key", silenceMilliseconds: 1_500 }, "model-1"),
  ]).translate({ ...request, ...overrides }, { signal: new AbortController().signal });

describe("a translation through a server of the OpenAI API", () => {
  it("requests only a translation", async () => {
    backend.behave(responding(200, completion("Oli otya?")));
    expect(await translate()).toEqual({
      text: "Oli otya?",
      usage: { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 },
    });
    const [received] = backend.received;
    expect(received).toMatchObject({
      path: "/v1/chat/completions",
      headers: { authorization: "Bearer the-key" },
    });
    expect(JSON.parse(received?.body ?? "")).toMatchObject({
      model: "model-1",
      stream: false,
      messages: [
        { role: "system", content: "You are a translation engine. Reply with the translation only." },
        { role: "user", content: "Translate from English to Luganda: How are you?" },
      ],
    });
  });

  /** The messages and the rest of the request to a model of this profile. */
  const sentTo = async (
    profile: GivenProfile["translation"],
    overrides: Partial<TranslationRequest> = {},
  ) => {
    backend.behave(responding(200, completion("Oli otya?")));
    const server = modelServer({ baseUrl: backend.baseUrl, profile: { translation: profile } });
    await createTranslator([server]).translate({ ...request, ...overrides }, unlimited());
    const { messages, ...rest } = JSON.parse(backend.received[0]?.body ?? "");
    return { messages: messages.map(({ content }: { content: string }) => content), rest };
  };

  it("asks in the words of a model's profile, with codes and names, and never reads the text as a template", async () => {
    const template = { system: "{source} to {target}.", instruction: "<2{target_code}> {text}" };
    expect(await sentTo(template, { text: "{target} {text}" })).toMatchObject({
      messages: ["English to Luganda.", "<2lg> {target} {text}"],
    });
    const codes = { ...template, language_codes: { lug: "lug_Latn", eng: "eng_Latn" } };
    expect(await sentTo(codes, { sourceLanguage: undefined })).toMatchObject({
      messages: ["the language of the text to Luganda.", "<2lug_Latn> How are you?"],
    });
  });

  it("asks in one message where a model knows no system message", async () => {
    expect(await sentTo({ system: null })).toMatchObject({
      messages: ["Translate from English to Luganda: How are you?"],
    });
    const { messages } = await sentTo({ system: null }, { keep: ["<1>"], context: "A greeting" });
    expect(messages).toEqual([
      expect.stringMatching(
        /^The text has the tags <1>\..*Do not translate it\.\nA greeting\n\nTranslate from/s,
      ),
    ]);
  });

  it("sends no temperature to a model that refuses one, and the limit under the server's name", async () => {
    const { rest } = await sentTo({ temperature: null, max_tokens_parameter: "max_completion_tokens" });
    expect(Object.keys(rest)).toEqual(["model", "max_completion_tokens", "stream"]);
    expect((await sentTo({ temperature: 0 })).rest).toMatchObject({ temperature: 0, top_p: 0.95 });
  });

  it("reads thoughts where the profile says that a model starts in one", async () => {
    backend.behave(responding(200, completion("Luganda, so Oli otya?</think>Oli otya?")));
    const profile = { translation: { thinks_first: true } };
    const server = modelServer({ baseUrl: backend.baseUrl, profile });
    expect((await createTranslator([server]).translate(request, unlimited())).text).toBe("Oli otya?");
  });

  it("omits an unknown source language", async () => {
    backend.behave(responding(200, completion("Oli otya?")));
    await translate({ sourceLanguage: undefined });
    expect(JSON.parse(backend.received[0]?.body ?? "").messages[1].content).toBe(
      "Translate to Luganda: How are you?",
    );
  });

  it.each([
    ["Good morning.", {}, 103],
    ["𝒶".repeat(5_000), {}, 15_064],
    ["Good morning.", { thinks_first: true }, 2_151],
  ])("allows a reply as many tokens as its text needs: %#", async (text, profile, expected) => {
    expect((await sentTo(profile, { text })).rest["max_tokens"]).toBe(expected);
  });

  it("omits the model's thoughts", async () => {
    backend.behave(responding(200, completion("<think>Hmm,\nLuganda.</think>\n\nOli otya?")));
    expect((await translate()).text).toBe("Oli otya?");
  });

  it.each(["Luganda.</think>\nOli otya?", "[THINK]Luganda.[/THINK]Oli otya?"])(
    "leaves out thoughts that are marked in other ways: %j",
    async (content) => {
      backend.behave(responding(200, completion(content)));
      expect((await translate()).text).toBe("Oli otya?");
    },
  );

  it("does without token counts when the server has none", async () => {
    backend.behave(responding(200, { ...completion("Oli otya?"), usage: undefined }));
    expect((await translate()).usage).toBeUndefined();
  });

  it.each([
    [{ prompt_tokens: 11 }, { prompt_tokens: 11, completion_tokens: null, total_tokens: null }],
    [{ completion_tokens: 3 }, { prompt_tokens: null, completion_tokens: 3, total_tokens: null }],
    [{ total_tokens: 14 }, { prompt_tokens: null, completion_tokens: null, total_tokens: 14 }],
    [
      { prompt_tokens: 0, completion_tokens: "3", total_tokens: 1.5 },
      { prompt_tokens: 0, completion_tokens: null, total_tokens: null },
    ],
    ["many", undefined],
    [null, undefined],
  ])("passes on what a server counted of its tokens, and nothing it did not: %j", async (usage, expected) => {
    backend.behave(responding(200, { ...completion("Oli otya?"), usage }));
    expect((await translate()).usage).toEqual(expected);
  });

  it.each([502, 503])(
    "tries once more when the server returns %i, unnoticed by the caller",
    async (status) => {
      backend.behave(responding(status, "busy"), responding(200, completion("Oli otya?")));
      expect((await translate()).text).toBe("Oli otya?");
      expect(backend.received).toHaveLength(2);
    },
  );

  it("tries once more when the connection breaks", async () => {
    backend.behave(resetting, responding(200, completion("Oli otya?")));
    expect((await translate()).text).toBe("Oli otya?");
  });

  it.each([
    ["returns 503 again and again", responding(503, "no"), "service_unavailable"],
    [
      "returns 503 with llama.cpp's message",
      responding(503, { error: { code: 503, message: "Loading model" } }),
      "service_unavailable",
    ],
    ["is busy", responding(429, { error: { message: "Too many requests" } }), "service_unavailable"],
    ["breaks every connection", resetting, "service_unavailable"],
    ["says nothing", hanging, "service_unavailable"],
    ["is loading, inside a 200", responding(200, { error: "Model is loading" }), "service_unavailable"],
    ["is queueing, inside a 200", responding(200, { id: "job", status: "IN_QUEUE" }), "service_unavailable"],
    ["fails", responding(500, "Internal Server Error"), "external_service_error"],
    ["refuses the request", responding(400, { error: { message: "bad" } }), "external_service_error"],
    ["refuses our key", responding(401, { error: { message: "bad key" } }), "external_service_error"],
    ["sends a page instead of JSON", responding(200, "<html>hello</html>"), "external_service_error"],
    ["sends JSON that is no completion", responding(200, { hello: "world" }), "external_service_error"],
    [
      "reports an error inside a 200",
      responding(200, { error: { message: "CUDA out of memory" } }),
      "external_service_error",
    ],
    ["returns nothing", responding(200, completion("")), "external_service_error"],
    ["returns null", responding(200, completion(null)), "external_service_error"],
    ["only thinks", responding(200, completion("<think>Hmm")), "external_service_error"],
    ["cuts the reply short", responding(200, completion("Oli", "length")), "external_service_error"],
    [
      "redirects elsewhere",
      responding(302, "", { Location: "http://127.0.0.1:1/" }),
      "external_service_error",
    ],
  ])("is an error when the server %s", async (_case, behaviour, code) => {
    backend.behave(behaviour);
    await expect(translate()).rejects.toMatchObject({ code });
  });

  it.each(["stop", "STOP", "eos", "end_turn", "eos_token", "", null])(
    "accepts a reply that ended with %j",
    async (word) => {
      backend.behave(responding(200, completion("Oli otya?", word)));
      expect((await translate()).text).toBe("Oli otya?");
    },
  );

  it.each([
    ...["length", "max_tokens", "MAX_TOKENS", "model_length", "insufficient_system_resource"].map((word) => [
      word,
      "cut",
    ]),
    ...["content_filter", "SAFETY", "PROHIBITED_CONTENT", "RECITATION"].map((word) => [word, "filtered"]),
  ])("requests a reply once more that ended with %s, and then fails", async (word, fault) => {
    for (const content of ["Oli", null]) {
      backend.behave(responding(200, completion(content, word)));
      await expect(translate()).rejects.toMatchObject({ code: "external_service_error", fault });
      expect(backend.received).toHaveLength(2);
    }
  });

  it("accepts the second reply when the first is no translation", async () => {
    backend.behave(
      responding(200, completion("I'm sorry, but I can't assist with that.")),
      responding(200, completion("Here is the translation:\nOli otya?")),
    );
    expect((await translate()).text).toBe("Oli otya?");
  });

  it("requests a translation once where the caller requests it again itself", async () => {
    backend.behave(responding(200, completion("")));
    const once = createTranslator([modelServer({ baseUrl: backend.baseUrl })]).translate(request, {
      ...unlimited(),
      maxReplies: 1,
    });
    await expect(once).rejects.toMatchObject({ fault: "empty" });
    expect(backend.received).toHaveLength(1);
  });

  it.each([
    ["Here is a note in English.", "eos_token", "Here is a note in English."],
    ["I'm sorry, I only know samples.", "odd", "I'm sorry, I only know samples."],
    ["Oli", "length", undefined],
    ["", "stop", undefined],
  ])("returns replies as they are where the profile says so: %j, %s", async (content, word, expected) => {
    backend.behave(responding(200, completion(content, word)));
    const profile = { translation: { judged: false } };
    const translator = createTranslator([modelServer({ baseUrl: backend.baseUrl, profile })]);
    const translated = translator.translate(request, unlimited()).then(({ text }) => text);
    await (expected === undefined
      ? expect(translated).rejects.toMatchObject({ code: "external_service_error" })
      : expect(translated).resolves.toBe(expected));
    expect(backend.received).toHaveLength(1);
  });

  it("says when to come back while the model is loading", async () => {
    backend.behave(responding(503, "loading model"));
    await expect(translate()).rejects.toMatchObject({
      message: expect.stringContaining("loading"),
      retryAfterSeconds: 30,
    });
  });

  it("gives up on a server that drips", async () => {
    backend.behave((response) => {
      response.writeHead(200, { "Content-Type": "application/json" });
      const timer = setInterval(() => response.write(" "), 100);
      response.on("close", () => clearInterval(timer));
    });
    await expect(translate()).rejects.toMatchObject({ code: "service_unavailable" });
  });

  it("fails for an unreachable server", async () => {
    await expect(translate({}, "http://127.0.0.1:1/v1")).rejects.toMatchObject({
      code: "service_unavailable",
    });
  });

  it("fails for an endless response", async () => {
    backend.behave((response) => {
      response.writeHead(200, { "Content-Type": "application/json" });
      const chunk = "x".repeat(1_048_576);
      const more = () => {
        while (!response.destroyed && response.write(chunk)) {}
      };
      response.on("drain", more);
      more();
    });
    await expect(translate()).rejects.toMatchObject({ code: "external_service_error" });
  });
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOpenAiChatModels } from "../../../../shared/models/inference/openai/chat-models.ts";
import { completion, type FakeBackend, responding, startFakeBackend } from "../../../support/fake-backend.ts";
import { modelServer } from "../../../support/model-servers.ts";

let backend: FakeBackend;
beforeAll(async () => {
  backend = await startFakeBackend();
});
afterAll(() => backend.close());

const reply = (model: "lang-14b" | "lang-9b" = "lang-14b") =>
  createOpenAiChatModels([
    modelServer(
      { baseUrl: backend.baseUrl, apiKey: async () => undefined, silenceMilliseconds: 1_000 },
      "large",
      "small",
    ),
  ]).reply(
    {
      model,
      messages: [{ role: "user", content: "Hello" }],
      temperature: 0,
      topP: undefined,
      maxTokens: undefined,
      stop: undefined,
    },
    { signal: new AbortController().signal },
  );

describe("a whole reply from a server of the OpenAI API", () => {
  it.each([
    ["lang-14b", "large"],
    ["lang-9b", "small"],
  ] as const)("is requested from %s by the server's own name of the model", async (model, name) => {
    backend.behave(responding(200, completion("Gyebale")));
    await reply(model);
    expect(JSON.parse(backend.received[0]?.body ?? "")).toEqual({
      model: name,
      messages: [{ role: "user", content: "Hello" }],
      temperature: 0,
      stream: false,
    });
    expect(backend.received[0]?.headers.authorization).toBeUndefined();
  });

  it("is trimmed and without thoughts, with the reason of its end and the token counts", async () => {
    backend.behave(responding(200, completion("<think>Hm.</think>\n Gyebale \n", "length")));
    expect(await reply()).toEqual({
      text: "Gyebale",
      finishReason: "length",
      finishWord: "length",
      usage: { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 },
    });
  });

  it.each([
    "Gyebale, I suppose.</think>Gyebale",
    "<Thinking a='1'>Hm <think>hm</think> hm</Thinking>Gyebale",
    "[THINK]Hm[/THINK]Gyebale",
    "<|channel|>analysis<|message|>Hm<|end|><|start|>assistant<|channel|>final<|message|>Gyebale",
  ])("has no thoughts in any format, from any model: %j", async (content) => {
    backend.behave(responding(200, completion(content)));
    expect((await reply()).text).toBe("Gyebale");
  });

  it.each([
    ["eos_token", "eos_token"],
    [null, undefined],
  ])("keeps its server's word for the reason of its end: %j", async (word, finishWord) => {
    const { choices, ...rest } = completion("Gyebale");
    backend.behave(
      responding(200, { ...rest, choices: choices.map((one) => ({ ...one, finish_reason: word })) }),
    );
    expect(await reply()).toMatchObject({ finishReason: "stop", finishWord });
  });

  it.each(["abort", "error"])("is a failure when the server ends it with %s", async (word) => {
    backend.behave(responding(200, completion("Gyeb", word)));
    await expect(reply()).rejects.toMatchObject({ code: "external_service_error" });
  });

  it("that found no room names the limit of tokens", async () => {
    backend.behave(responding(200, completion("<think>Hm", "length")));
    await expect(reply()).rejects.toMatchObject({
      code: "external_service_error",
      message: expect.stringContaining("max_tokens"),
    });
  });

  it("of a model that the server does not know names it to the operator, and not to the caller", async () => {
    backend.behave(responding(404, { error: { message: "The model `large` does not exist." } }));
    const failure = await reply().catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: "external_service_error",
      message: "The model's server does not have the model that this service requests.",
      cause: {
        message: 'The model\'s server returned status 404 for the model "large".',
      },
    });
  });

  it("refused by the server may contain an unsupported parameter", async () => {
    backend.behave(responding(400, { error: { message: "maximum context length" } }));
    await expect(reply()).rejects.toMatchObject({ message: expect.stringContaining("too long") });
  });
});

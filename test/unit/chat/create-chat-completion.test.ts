import { describe, expect, it, onTestFinished, vi } from "vitest";
import { chatCompletion } from "../../../functions/chat/contract.ts";
import { chatEndpoints } from "../../../functions/chat/endpoints.ts";
import type { ChatModels } from "../../../shared/models/inference/chat.ts";
import { defaultSystemMessage } from "../../../shared/models/inference/chat.ts";
import { authorizedCaller, send } from "../../support/send.ts";

const setup = () => {
  const reply = vi.fn<ChatModels["reply"]>().mockResolvedValue({
    text: "Gyebale ko",
    finishReason: "stop",
    usage: { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 },
  });
  const streamReply = vi.fn<ChatModels["streamReply"]>().mockRejectedValue(new Error("not to be called"));
  const models = { reply, streamReply };
  const post = (body: unknown) =>
    send(chatEndpoints({ models }), { path: "/tasks/chat/completions", body, authorizer: authorizedCaller });
  const received = () => reply.mock.calls[0]?.[0];
  return { models, post, received };
};

const messages = [{ role: "user", content: "Hello" }];

describe("POST /tasks/chat/completions", () => {
  it("responds in the format of the OpenAI API", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_795_000_000_700 });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const { post } = setup();
    const response = await post({ messages });
    expect(response.status).toBe(200);
    expect(chatCompletion.parse(response.body)).toEqual(response.body);
    expect(response.body).toEqual({
      id: expect.stringMatching(/^chatcmpl-[0-9a-f]{32}$/),
      object: "chat.completion",
      created: 1_795_000_000,
      model: "lang-14b",
      choices: [{ index: 0, message: { role: "assistant", content: "Gyebale ko" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 },
    });
  });

  it("has null where the server counted no tokens, and the reason why the reply ended", async () => {
    const { models, post } = setup();
    models.reply.mockResolvedValue({ text: "Gyebale", finishReason: "length", usage: undefined });
    expect((await post({ messages })).body).toMatchObject({
      choices: [{ finish_reason: "length" }],
      usage: { prompt_tokens: null, completion_tokens: null, total_tokens: null },
    });
  });

  it("calls the larger model with the service's own instruction unless the request has others", async () => {
    const { post, received } = setup();
    await post({ messages });
    expect(received()).toEqual({
      model: "lang-14b",
      messages: [{ role: "system", content: defaultSystemMessage }, ...messages],
      temperature: 0.3,
      topP: undefined,
      maxTokens: undefined,
      stop: undefined,
    });
  });

  it("passes on the request's options", async () => {
    const { post, received } = setup();
    const own = [
      { role: "user", content: "  Hello\n" },
      { role: "assistant", content: "Hi" },
      { role: "system", content: "Answer in Luganda." },
      { role: "user", content: "Thanks" },
    ];
    const response = await post({
      model: "lang-9b",
      messages: own,
      temperature: 0,
      max_tokens: 7,
      max_completion_tokens: 9,
      top_p: 0.5,
      stop: "\n",
    });
    expect(response.body.model).toBe("lang-9b");
    expect(received()).toEqual({
      model: "lang-9b",
      messages: own.map(({ role, content }) => ({ role, content: content.trim() })),
      temperature: 0,
      topP: 0.5,
      maxTokens: 7,
      stop: ["\n"],
    });
  });

  it("takes null for absent, as the OpenAI SDKs send it", async () => {
    const { post, received } = setup();
    const nothing = {
      model: null,
      temperature: null,
      max_tokens: null,
      top_p: null,
      stop: null,
      stream: null,
    };
    expect((await post({ messages, ...nothing, max_completion_tokens: null })).status).toBe(200);
    expect(received()).toMatchObject({
      model: "lang-14b",
      temperature: 0.3,
      topP: undefined,
      stop: undefined,
    });
  });

  it("ignores what it does not know", async () => {
    const { post, received } = setup();
    const others = {
      n: 3,
      tools: [{ type: "function" }],
      response_format: { type: "json_object" },
      stream_options: { include_usage: false },
      user: "x",
      seed: 1,
    };
    const named = [{ role: "user", content: "Hello", name: "Amina", tool_calls: [] }];
    expect((await post({ messages: named, ...others })).status).toBe(200);
    expect(received()?.messages[1]).toEqual({ role: "user", content: "Hello" });
  });

  it("takes `max_completion_tokens` for `max_tokens`", async () => {
    const { post, received } = setup();
    await post({ messages, max_completion_tokens: 9 });
    expect(received()?.maxTokens).toBe(9);
  });

  it("joins the text parts of a message", async () => {
    const { post, received } = setup();
    const content = [
      { type: "text", text: " Translate to Luganda: " },
      { type: "text", text: "How are you?\n" },
    ];
    await post({ messages: [{ role: "user", content }] });
    expect(received()?.messages[1]?.content).toBe("Translate to Luganda: How are you?");
  });

  it.each([
    [
      ["a", "", "b"],
      ["a", "b"],
    ],
    ["", undefined],
    [[""], undefined],
    [[], undefined],
  ])("leaves empty texts out of stop: %j", async (stop, expected) => {
    const { post, received } = setup();
    await post({ messages, stop });
    expect(received()?.stop).toEqual(expected);
  });

  it.each(["Sunbird/Sunflower-14B", "gpt-4o", "LANG-14B", " lang-14b", "", "x".repeat(10_000)])(
    "refuses the unknown model %.30j with 400 and the existing models",
    async (model) => {
      const { models, post } = setup();
      const response = await post({ model, messages });
      expect(response).toMatchObject({
        status: 400,
        body: {
          detail: expect.stringContaining("lang-14b, lang-9b"),
          error: {
            code: "unknown_model",
            type: "invalid_request_error",
            param: "model",
            supported_models: ["lang-14b", "lang-9b"],
          },
        },
      });
      expect(models.reply).not.toHaveBeenCalled();
    },
  );

  const says = (content: unknown) => ({ messages: [{ role: "user", content }] });
  it.each([
    [{}, ["messages"], "missing"],
    [{ messages: [] }, ["messages"], "too_short"],
    [{ messages: "Hello" }, ["messages"], "list_type"],
    [{ messages: [{ content: "Hello" }] }, ["messages", 0, "role"], "missing"],
    [{ messages: [{ role: "tool", content: "x" }] }, ["messages", 0, "role"], "enum"],
    [{ messages: [{ role: "user" }] }, ["messages", 0, "content"], "missing"],
    [says(null), ["messages", 0, "content"], "value_error"],
    [says(5), ["messages", 0, "content"], "value_error"],
    [says(" \n"), ["messages", 0, "content"], "string_too_short"],
    [says([]), ["messages", 0, "content"], "too_short"],
    [says([{ type: "text", text: " " }]), ["messages", 0, "content"], "string_too_short"],
    [says([{ type: "image_url", image_url: { url: "x" } }]), ["messages", 0, "content"], "value_error"],
    [says("\ud800"), ["messages", 0, "content"], "string_unicode"],
    [{ messages, model: 5 }, ["model"], "string_type"],
    [{ messages, temperature: -0.1 }, ["temperature"], "greater_than_equal"],
    [{ messages, temperature: 2.1 }, ["temperature"], "less_than_equal"],
    [{ messages, temperature: "warm" }, ["temperature"], "float_parsing"],
    [{ messages, max_tokens: 0 }, ["max_tokens"], "greater_than_equal"],
    [{ messages, max_tokens: 1.5 }, ["max_tokens"], "int_from_float"],
    [{ messages, top_p: 0 }, ["top_p"], "greater_than"],
    [{ messages, top_p: 1.1 }, ["top_p"], "less_than_equal"],
    [{ messages, stop: 5 }, ["stop"], "value_error"],
    [{ messages, stream: "yes" }, ["stream"], "bool_type"],
  ])("names what is wrong with %j", async (body, location, type) => {
    const { models, post } = setup();
    expect(await post(body)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", ...location], type }] },
    });
    expect(models.reply).not.toHaveBeenCalled();
  });
});

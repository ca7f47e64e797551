import { describe, expect, it, vi } from "vitest";
import { inferenceKeysIn } from "../../../shared/models/inference/inference-keys.ts";
import type { ChatServers } from "../../../shared/platform/config/model-servers.ts";
import { firstAddress, listedServersFrom, modelServersFrom } from "../../../shared/wiring/model-servers.ts";

const read = async () => JSON.stringify({ chat: "of-chat", gpu: "of-gpu", speech: "of-speech" });
const options = { silenceMilliseconds: 1_000, keyOf: inferenceKeysIn("keys", read) };

const given = { servers: undefined, baseUrl: undefined, models: [{ name: "usual" }], profile: undefined };

const gpu = { name: "gpu", base_url: "https://gpu.example.org/v1", order: 2, weight: 1 };
const hosted = { name: "hosted", base_url: "https://hosted.example.org/v1", order: 1, weight: 3 };

describe("the servers of a function", () => {
  it("are the list in its variables, each with its key, its names of the models and its timeout", async () => {
    const servers = modelServersFrom(
      "translation",
      { ...given, servers: [{ ...gpu, model: "qwen", timeout_ms: 5 }, hosted] },
      options,
    );
    expect(servers).toMatchObject([
      {
        name: "gpu",
        baseUrl: gpu.base_url,
        model: { name: "qwen" },
        silenceMilliseconds: 5,
        order: 2,
        weight: 1,
      },
      { name: "hosted", model: { name: "usual" }, silenceMilliseconds: 1_000, order: 1, weight: 3 },
    ]);
    expect(await Promise.all(servers.map(({ apiKey }) => apiKey()))).toEqual(["of-gpu", undefined]);
  });

  const thinking = { chat: { thinks_first: true } };
  const direct = { chat: { thinks_first: false } };

  it("have names and profiles of all models of chat, their own before the stage's", () => {
    const models = [{ name: "large", profile: "thinks-first" }, { name: "small" }];
    const modelsOf = (servers: [ChatServers[number]]) =>
      [...(modelServersFrom("chat", { ...given, models, servers }, options)[0].models ?? [])].map(
        ([id, { name, profile }]) => [id, name, profile],
      );
    expect(modelsOf([gpu])).toMatchObject([
      ["lang-14b", "large", thinking],
      ["lang-9b", "small", direct],
    ]);
    expect(modelsOf([{ ...gpu, models: [{}, { name: "own", profile: "thinks-first" }] }])).toMatchObject([
      ["lang-14b", "large", thinking],
      ["lang-9b", "own", thinking],
    ]);
    expect(modelsOf([{ ...gpu, profile: "sample", models: [{ name: "only" }] }])).toMatchObject([
      ["lang-14b", "only", direct],
      ["lang-9b", "only", direct],
    ]);
  });

  it("have the profile of their task, unless a server has one of its own", () => {
    const servers = modelServersFrom(
      "transcription",
      { ...given, profile: "iso639-3", servers: [{ ...gpu, profile: "whisper-51" }, hosted] },
      options,
    );
    const codes = servers.map(({ model }) => model.profile.transcription.language_codes);
    expect(codes).toEqual([expect.objectContaining({ lug: "sd" }), "iso639-3"]);
  });

  it("do not start with a profile that does not exist", () => {
    const baseUrl = "https://models.example.org/v1";
    expect(() => modelServersFrom("speech", { ...given, baseUrl, profile: "whisper" }, options)).toThrow(
      'There is no profile "whisper".',
    );
  });

  const chatBaseUrl = "https://models.example.org/v1";

  it.each([chatBaseUrl, "https://models.example.org:443/translation/v1"])(
    "of translation at %s, which is chat's origin, get its key",
    async (baseUrl) => {
      const [server] = modelServersFrom("translation", { ...given, baseUrl, chatBaseUrl }, options);
      expect(await server.apiKey()).toBe("of-chat");
    },
  );

  it.each([
    "https://other.example.org/v1",
    "https://models.example.org:8443/v1",
    "http://models.example.org/v1",
  ])("of translation at %s, which is another origin, need a key of their own, or none", async (baseUrl) => {
    const keyWith = async (stored: object) => {
      const keyOf = inferenceKeysIn("keys", async () => JSON.stringify(stored));
      const addresses = { ...given, baseUrl, chatBaseUrl };
      return modelServersFrom("translation", addresses, { ...options, keyOf })[0].apiKey();
    };
    await expect(keyWith({ chat: "of-chat" })).rejects.toThrow("TRANSLATION_API_KEY");
    expect(await keyWith({ chat: "of-chat", translation: "own" })).toBe("own");
    expect(await keyWith({ chat: "of-chat", translation: "none" })).toBeUndefined();
    expect(await keyWith({})).toBeUndefined();
  });

  it("get no key where it says none, also at chat's origin", async () => {
    const baseUrl = "https://models.example.org/v1";
    const keyOf = inferenceKeysIn("keys", async () =>
      JSON.stringify({ chat: "secret", translation: "none" }),
    );
    const [server] = modelServersFrom(
      "translation",
      { ...given, baseUrl, chatBaseUrl: baseUrl },
      { ...options, keyOf },
    );
    expect(await server.apiKey()).toBeUndefined();
  });

  it("are one of its task's name in the short form", async () => {
    const baseUrl = "https://models.example.org/v1";
    const [server] = modelServersFrom("speech", { ...given, baseUrl }, options);
    expect(server).toMatchObject({ name: "speech", baseUrl });
    expect(await server.apiKey()).toBe("of-speech");
  });

  it("are refused in both forms, and in none, when the function starts", () => {
    const baseUrl = "https://models.example.org/v1";
    expect(() => modelServersFrom("speech", { ...given, servers: [gpu], baseUrl }, options)).toThrow(
      "SPEECH_SERVERS and SPEECH_BASE_URL are both set: SPEECH_BASE_URL is the short form for one server, so remove one of them.",
    );
    expect(() => modelServersFrom("speech", given, options)).toThrow(
      "SPEECH_SERVERS is missing, and so is SPEECH_BASE_URL, the short form for one server.",
    );
  });

  it("get a connection ahead to the one that is called first", () => {
    const servers = modelServersFrom("speech", { ...given, servers: [gpu, hosted] }, options);
    expect(firstAddress(servers).href).toBe(hosted.base_url);
  });

  it("are counted for operators by their names, and the only one by its task as ever", () => {
    const reportOf = vi.fn();
    modelServersFrom("speech", { ...given, servers: [gpu, hosted] }, { ...options, reportOf });
    modelServersFrom("speech", { ...given, baseUrl: gpu.base_url }, { ...options, reportOf });
    expect(reportOf.mock.calls).toEqual([["gpu"], ["hosted"], [undefined]]);
  });

  it("are listed for operators, those of each task in the order of their calls", async () => {
    const baseUrl = "https://models.example.org/v1";
    const others = {
      TRANSLATION_BASE_URL: baseUrl,
      TRANSCRIPTION_BASE_URL: baseUrl,
      SPEECH_BASE_URL: baseUrl,
    };
    const variables = { ...others, INFERENCE_KEYS_SECRET_ID: "keys" };
    const listed = listedServersFrom({ ...variables, CHAT_SERVERS: [gpu, hosted] }, options.keyOf);
    expect(listed.map(({ task, server }) => [task, server])).toEqual([
      ["chat", "hosted"],
      ["chat", "gpu"],
      ["translation", undefined],
      ["transcription", undefined],
      ["speech", undefined],
    ]);
    expect(await Promise.all(listed.map(({ apiKey }) => apiKey()))).toEqual([
      ...[undefined, "of-gpu", undefined],
      ...[undefined, "of-speech"],
    ]);
  });
});

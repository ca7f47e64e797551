import { describe, expect, it, vi } from "vitest";
import { inferenceKeysIn } from "../../../shared/models/inference/inference-keys.ts";
import { firstAddress, listedServersFrom, modelServersFrom } from "../../../shared/wiring/model-servers.ts";

const read = async () => JSON.stringify({ chat: "of-chat", gpu: "of-gpu", speech: "of-speech" });
const options = { silenceMilliseconds: 1_000, keyOf: inferenceKeysIn("keys", read) };

const given = { servers: undefined, baseUrl: undefined };

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
      { name: "gpu", baseUrl: gpu.base_url, model: "qwen", silenceMilliseconds: 5, order: 2, weight: 1 },
      { name: "hosted", model: undefined, silenceMilliseconds: 1_000, order: 1, weight: 3 },
    ]);
    expect(await Promise.all(servers.map(({ apiKey }) => apiKey()))).toEqual(["of-gpu", undefined]);
  });

  it("have their names of both models of chat", () => {
    const servers = modelServersFrom("chat", { ...given, servers: [{ ...gpu, model_9b: "small" }] }, options);
    expect(servers).toMatchObject([{ models: { "lang-9b": "small" } }]);
  });

  it("are one of its task's name in the short form", async () => {
    const baseUrl = "https://models.example.org/v1";
    const [server] = modelServersFrom("speech", { ...given, baseUrl }, options);
    expect(server).toMatchObject({ name: "speech", baseUrl });
    expect(await server?.apiKey()).toBe("of-speech");
    const [translation] = modelServersFrom("translation", { ...given, baseUrl }, options);
    expect(await translation?.apiKey()).toBe("of-chat");
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
      ...[undefined, "of-gpu", "of-chat"],
      ...[undefined, "of-speech"],
    ]);
  });
});

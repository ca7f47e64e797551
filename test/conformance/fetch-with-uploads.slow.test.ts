import OpenAI, { toFile } from "openai";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { fetchWithUploads } from "../../functions/docs/examples/fetch-with-uploads.ts";
import { baseUrl, sharedAccount } from "../support/client.ts";
import { audioBytes, wavFile } from "../support/wav.ts";

let token: string;
beforeAll(async () => {
  ({ token } = await sharedAccount());
});
afterEach(() => {
  vi.restoreAllMocks();
});

const recording = (bytes: number) =>
  toFile(wavFile(audioBytes(bytes), { stated: true }), "interview.wav", { type: "audio/wav" });

const transcribe = async (bytes: number, options: { apiKey?: string; fetch?: typeof fetch } = {}) => {
  const openai = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: token, maxRetries: 0, ...options });
  return openai.audio.transcriptions.create({
    file: await recording(bytes),
    model: "stt-51:lug",
    response_format: "verbose_json",
  });
};

const large = 6_000_000;

/** Before its first form, the SDK sends a `data:` request to learn how this `fetch` handles forms. */
const isSent = ([input]: readonly [unknown, ...unknown[]]) => !String(input).startsWith("data:");

describe("A fetch that uploads large recordings", () => {
  it("lets the OpenAI SDK transcribe a recording that is too large for a request", async () => {
    await expect(transcribe(large)).rejects.toMatchObject({ status: 413, code: "payload_too_large" });
    const calls = vi.spyOn(globalThis, "fetch");
    const { duration, text } = await transcribe(large, { fetch: fetchWithUploads });
    expect(duration).toBe(large / 48_000);
    expect(text).toBeTypeOf("string");
    expect(calls.mock.calls.filter(isSent).map(([, init]) => init?.method?.toUpperCase())).toEqual([
      "POST",
      "PUT",
      "POST",
    ]);
  });

  it("sends small recordings unchanged", async () => {
    const calls = vi.spyOn(globalThis, "fetch");
    expect((await transcribe(48_000, { fetch: fetchWithUploads })).duration).toBe(1);
    expect(calls.mock.calls.filter(isSent)).toHaveLength(1);
  });

  it("does not upload again when the client retries", async () => {
    const methods: (string | undefined)[] = [];
    const real = globalThis.fetch;
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      if (isSent([input])) methods.push(init?.method?.toUpperCase());
      return methods.length === 3 ? new Response("{}", { status: 503 }) : real(input, init);
    });
    const openai = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: token, fetch: fetchWithUploads });
    const file = await recording(large);
    await openai.audio.transcriptions.create({ file, model: "stt-51:lug" });
    expect(methods).toEqual(["POST", "PUT", "POST", "POST"]);
  });

  it("passes a refusal to the client, which throws its own error", async () => {
    const refused = transcribe(large, { fetch: fetchWithUploads, apiKey: "nonsense" });
    await expect(refused).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  });
});

import { describe, expect, it } from "vitest";
import { batchResponse } from "../../../functions/speech/speech-results.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { speechInMemory, speechOf } from "../../support/fake-speech.ts";
import { authorizedCaller, send } from "../../support/send.ts";

const setup = () => {
  const memory = speechInMemory();
  const post = (body: object) =>
    send(memory.endpoints, { path: "/tasks/audio/speech/batch", body, authorizer: authorizedCaller });
  return { ...memory, post };
};
const items = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ text: "x".repeat(index + 1) }));

describe("POST /tasks/audio/speech/batch", () => {
  it("returns a result for each item, in order", async () => {
    const { post, objects } = setup();
    const { status, body } = await post({
      items: [
        { text: "Webale" },
        { text: "Asante", language: "swa" },
        { text: "Hi", voice: "salt_eng_0002" },
      ],
    });
    expect(status).toBe(200);
    expect(batchResponse.parse(body)).toEqual(body);
    expect(body).toMatchObject({
      model: "tts-1",
      platform: "the-platform",
      request_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      results: [
        { index: 0, status: "ok", voice: "salt_lug_0001", language: "lug", duration_seconds: 0.6 },
        { index: 1, status: "ok", voice: "waxal_swa_0006", language: "swa", duration_seconds: 0.6 },
        { index: 2, status: "ok", voice: "salt_eng_0002", language: "eng", duration_seconds: 0.2 },
      ],
      usage: { input_characters: 14, duration_seconds: 1.4 },
    });
    const sizes = body.results.map(
      ({ storage_object }: { storage_object: string }) => objects.get(storage_object)?.length,
    );
    expect(body.results.map((result: { audio_size_bytes: number }) => result.audio_size_bytes)).toEqual(
      sizes,
    );
    expect(body.usage.output_audio_bytes).toBe(sizes[0] + sizes[1] + sizes[2]);
    expect(body.results[0]).toMatchObject({
      request_id: body.request_id,
      error_code: null,
      error_detail: null,
    });
  });

  it("takes 1 to 16 items", async () => {
    const { post } = setup();
    expect((await post({ items: items(1) })).body.results).toMatchObject([{ index: 0, status: "ok" }]);
    expect((await post({ items: items(16) })).body.results).toHaveLength(16);
    const refused = (type: string) => ({
      status: 422,
      body: { detail: [{ loc: ["body", "items"], type }] },
    });
    expect(await post({ items: [] })).toMatchObject(refused("too_short"));
    expect(await post({ items: items(17) })).toMatchObject(refused("too_long"));
    expect(await post({})).toMatchObject(refused("missing"));
  });

  it.each([
    [{ text: " " }, ["body", "items", 1, "text"], "string_too_short"],
    [{ text: "x".repeat(5_001) }, ["body", "items", 1, "text"], "string_too_long"],
    [{ text: "x", model: "tts-1" }, ["body", "items", 1, "model"], "extra_forbidden"],
    [{ text: "x", temperature: 3 }, ["body", "items", 1, "temperature"], "less_than_equal"],
  ])("has the path of an item's fault", async (item, loc, type) => {
    const { post } = setup();
    expect(await post({ items: [{ text: "x" }, item] })).toMatchObject({
      status: 422,
      body: { detail: [{ loc, type }] },
    });
  });

  it("refuses the removed parameters at its own level too", async () => {
    const { post } = setup();
    expect(await post({ items: items(1), model: "tts-1" })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "model"], type: "extra_forbidden" }] },
    });
  });

  it("validates every item before it calls the model", async () => {
    const { post, synthesize } = setup();
    const response = await post({ items: [{ text: "x" }, { text: "y" }, { text: "z", voice: "nobody" }] });
    expect(response).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_speaker", param: "items[2].voice" } },
    });
    expect(response.body.detail).toMatch(/^item index 2: Unknown voice 'nobody'/);
    expect(response.body.error.supported_voices).toHaveLength(48);
    expect(synthesize).not.toHaveBeenCalled();
  });

  it("shows which items failed and why, and counts only the others", async () => {
    const { post, synthesize } = setup();
    synthesize.mockImplementation(async (request) => {
      if (request.text === "bad") throw new AppError("external_service_error", { message: "No sound." });
      if (request.text === "worse") throw new Error("a secret");
      return speechOf(request);
    });
    const { status, body } = await post({
      items: [{ text: "bad" }, { text: "good" }, { text: "worse" }],
    });
    expect(status).toBe(200);
    expect(batchResponse.parse(body)).toEqual(body);
    expect(body.results).toMatchObject([
      {
        status: "error",
        voice: "salt_lug_0001",
        error_code: "external_service_error",
        error_detail: "No sound.",
        request_id: null,
        audio_url: null,
        storage_object: null,
      },
      { status: "ok" },
      { status: "error", error_code: "internal" },
    ]);
    expect(JSON.stringify(body)).not.toContain("secret");
    expect(body.usage).toMatchObject({ input_characters: 4, duration_seconds: 0.4 });
  });

  it("marks an item whose audio cannot be stored", async () => {
    const { post, store } = setup();
    store.write.mockImplementationOnce(() => {
      throw new AppError("storage_unavailable");
    });
    const { body } = await post({ items: items(2) });
    expect(body.results).toMatchObject([
      { status: "error", error_code: "storage_unavailable" },
      { status: "ok" },
    ]);
  });

  it("fails as a whole when all items do", async () => {
    const { post, synthesize } = setup();
    synthesize.mockImplementation(async ({ text }) => {
      throw new AppError(text === "x" ? "external_service_error" : "service_unavailable");
    });
    const { status, body } = await post({ items: items(2) });
    expect({ status, code: body.error.code }).toEqual({ status: 502, code: "external_service_error" });
    expect(body.error.results).toHaveLength(2);
  });

  it("asks the caller to come back when the model is not ready for any item", async () => {
    const { post, synthesize } = setup();
    synthesize.mockRejectedValue(new AppError("service_unavailable", { retryAfterSeconds: 30 }));
    const response = await post({ items: items(3) });
    expect(response).toMatchObject({ status: 503, headers: { "Retry-After": "30" } });
  });

  it("makes at most four items side by side", async () => {
    const { post, synthesize } = setup();
    let running = 0;
    let max = 0;
    synthesize.mockImplementation(async (request) => {
      running += 1;
      max = Math.max(max, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return speechOf(request);
    });
    await post({ items: items(16) });
    expect(max).toBe(4);
  });
});

import { describe, expect, it } from "vitest";
import { linkResponse } from "../../../functions/speech/speech-results.ts";
import { linkExpiresAt, speechInMemory } from "../../support/fake-speech.ts";
import { authorizedCaller, send } from "../../support/send.ts";

const id = "0123456789abcdef0123456789abcdef";
const own = `speech/2026-11-20/${authorizedCaller.userId}/${id}.wav`;

const setupWith = (speechLifetimeDays: number | undefined, ...stored: string[]) => {
  const { endpoints, objects, store } = speechInMemory({ speechLifetimeDays });
  for (const key of stored) objects.set(key, Buffer.from("RIFF"));
  const get = (query: Record<string, string>) =>
    send(endpoints, {
      method: "GET",
      path: "/tasks/audio/speech/url",
      query,
      authorizer: authorizedCaller,
    });
  return { get, store };
};

const setup = (...stored: string[]) => setupWith(undefined, ...stored);
const dayAgo = (days: number): string =>
  `speech/${new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)}/${authorizedCaller.userId}/${id}.wav`;

describe("GET /tasks/audio/speech/url", () => {
  it("returns a fresh link to speech of the caller", async () => {
    const { get, store } = setup(own);
    const { status, body } = await get({ storage_object: own });
    expect(status).toBe(200);
    expect(linkResponse.parse(body)).toEqual(body);
    expect(body).toEqual({
      storage_object: own,
      audio_url: `https://storage.example.com/${own}?signature`,
      audio_url_expires_at: linkExpiresAt.toISOString(),
    });
    expect(store.signDownload).toHaveBeenCalledWith(own, {
      contentType: "audio/wav",
      fileName: "speech.wav",
    });
  });

  it.each([
    ["of another account", `speech/2026-11-20/8/${id}.wav`],
    ["of an account whose number begins alike", `speech/2026-11-20/77/${id}.wav`],
    ["that is an upload", `uploads/9d3c/${id}.wav`],
    ["that leaves its folder", `speech/2026-11-20/${authorizedCaller.userId}/../8/${id}.wav`],
    ["with something behind it", `${own}\n`],
    ["with something before it", `x/${own}`],
  ])("says that there is nothing for a name %s, without looking", async (_case, name) => {
    const { get, store } = setup(own, name);
    expect(await get({ storage_object: name })).toMatchObject({
      status: 404,
      body: { error: { code: "not_found", param: "storage_object" } },
    });
    expect(store.signDownload).not.toHaveBeenCalled();
  });

  it("says the same for speech that is gone", async () => {
    const { get } = setup();
    expect(await get({ storage_object: own })).toMatchObject({
      status: 404,
      body: { detail: "There is no stored speech with this name." },
    });
  });

  it("names the days of storage, and says the same for old speech as for what never was", async () => {
    const { get } = setupWith(30, dayAgo(30), dayAgo(31));
    expect(await get({ storage_object: dayAgo(30) })).toMatchObject({ status: 200 });
    const [old, never] = [
      await get({ storage_object: dayAgo(31) }),
      await get({ storage_object: "speech/x" }),
    ];
    expect(old).toMatchObject({
      status: 404,
      body: { detail: "There is no stored speech with this name. Speech is stored for 30 days." },
    });
    expect(never).toMatchObject({ status: 404, body: { detail: old.body.detail } });
  });

  it("needs the name", async () => {
    const { get } = setup();
    expect(await get({})).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["query", "storage_object"], type: "missing" }] },
    });
  });
});

import { randomUUID } from "node:crypto";
import * as z from "zod";
import { recordWords } from "../../support/spoken-words.ts";
import { read, requireSame, send } from "./api.ts";
import { type Account, createAccount, type Scenario, type World } from "./scenario.ts";

const partBytes = 5 * 1024 * 1024;

const uploadLink = z.object({ upload_url: z.url(), file_id: z.string() });
const transcript = z.object({ text: z.string() });

type Token = Pick<Account, "token">;

/** Requests a link to upload a WAV file of this size. */
export const requestUpload = ({ url }: World, { token }: Token, size: number) =>
  read(uploadLink, `${url}/tasks/generate-upload-url`, {
    token,
    json: { file_name: "meeting.wav", content_type: "audio/wav", size },
  });

/** Uploads a file through a link. */
export const putFile = (upload_url: string, bytes: Uint8Array) =>
  send(upload_url, { method: "PUT", bytes, headers: { "Content-Type": "audio/wav" } });

const transcribe = async ({ url }: World, { token }: Token, fields: Readonly<Record<string, string>>) => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ language: "eng", ...fields })) form.set(name, value);
  return read(transcript, `${url}/tasks/audio/transcriptions`, { token, form });
};

const upload: Scenario = {
  title: "an upload, and an upload link that is still unused",
  prepare: async (world) => {
    const owner = await createAccount(world, "uploads");
    const { wav, words } = recordWords(world.voice, 10, 1);
    const [whole, open] = [
      await requestUpload(world, owner, wav.length),
      await requestUpload(world, owner, wav.length),
    ];
    await putFile(whole.upload_url, wav);
    return async () => {
      await putFile(open.upload_url, wav);
      for (const { file_id } of [whole, open]) {
        const { text } = await transcribe(world, owner, { file_id });
        requireSame("the transcript", text, words.join(" "));
      }
    };
  },
};

const startedUpload = z.object({ id: z.string(), part_count: z.int() });
const partLinks = z.object({ parts: z.array(z.object({ upload_url: z.url() })) });
const progress = z.object({ status: z.string(), arrived: z.array(z.int()) });
const completedUpload = z.object({ file_id: z.string(), size: z.int() });

const partedUpload: Scenario = {
  title: "an upload in parts, half of which have arrived",
  prepare: async (world) => {
    const { token } = await createAccount(world, "sends-parts");
    // Of twelve minutes: a little more than one part.
    const { wav, words } = recordWords(world.voice, 720, 2);
    const address = `${world.url}/tasks/uploads`;
    const json = { file_name: "council.wav", content_type: "audio/wav", size: wav.length };
    const { id, part_count } = await read(startedUpload, address, { token, json });
    requireSame("parts", part_count, 2);
    const putPart = async (number: number) => {
      const { parts } = await read(partLinks, `${address}/${id}/parts`, {
        token,
        json: { numbers: [number] },
      });
      const bytes = wav.subarray((number - 1) * partBytes, number * partBytes);
      await send(parts[0]?.upload_url ?? "", { method: "PUT", bytes });
    };
    await putPart(1);
    let isCompleted = false;
    return async () => {
      if (!isCompleted) {
        requireSame("parts that have arrived", await read(progress, `${address}/${id}`, { token }), {
          status: "uploading",
          arrived: [1],
        });
        await putPart(2);
      }
      isCompleted = true;
      const file = await read(completedUpload, `${address}/${id}/complete`, { method: "POST", token });
      requireSame("the size of the file", file.size, wav.length);
      const { text } = await transcribe(world, { token }, { file_id: file.file_id });
      requireSame("words of the transcript", text.split(" ").length, words.length);
    };
  },
};

const storedSpeech = z.object({ audio_url: z.url(), storage_object: z.string() });
const freshLink = z.object({ audio_url: z.url() });

const speech: Scenario = {
  title: "stored speech, by its first link and by a new one",
  prepare: async (world) => {
    const { url } = world;
    const { token } = await createAccount(world, "speaks");
    const json = { text: "Wasuze otya nno?", language: "lug" };
    const { audio_url, storage_object } = await read(storedSpeech, `${url}/tasks/audio/speech`, {
      token,
      json,
    });
    const { bytes: stored } = await send(audio_url);
    const query = new URLSearchParams({ storage_object });
    return async () => {
      const fresh = await read(freshLink, `${url}/tasks/audio/speech/url?${query}`, { token });
      for (const link of [audio_url, fresh.audio_url]) {
        requireSame("the speech", (await send(link)).bytes.equals(stored), true);
      }
    };
  },
};

const savedTranscription = z.object({ audio_transcription_id: z.int() });

const transcription: Scenario = {
  title: "transcriptions that a deprecated route has saved",
  prepare: async (world) => {
    const { token } = await createAccount(world, "saves");
    const { wav } = recordWords(world.voice, 10, 3);
    const save = async (): Promise<number> => {
      const form = new FormData();
      form.set("audio", new Blob([new Uint8Array(wav)], { type: "audio/wav" }), "interview.wav");
      form.set("language", "eng");
      const saved = await read(savedTranscription, `${world.url}/tasks/stt`, { token, form });
      return saved.audio_transcription_id;
    };
    const id = await save();
    let isDeleted = false;
    return async () => {
      const next = await save();
      requireSame("whether the next one has a later number", next > id, true);
      const remove = { method: "DELETE", token };
      if (!isDeleted) await send(`${world.url}/tasks/stt/${id}`, remove);
      isDeleted = true;
      await send(`${world.url}/tasks/stt/${id}`, { ...remove, status: 404 });
    };
  },
};

/** The response is too large for the table, so it is stored in the bucket. */
const largeResponse: Scenario = {
  title: "a large response that is replayed for the same Idempotency-Key",
  prepare: async (world) => {
    const owner = await createAccount(world, "repeats-much");
    const { wav } = recordWords(world.voice, 2_000, 4);
    const { upload_url, file_id } = await requestUpload(world, owner, wav.length);
    await putFile(upload_url, wav);
    const headers = { "Idempotency-Key": randomUUID() };
    const request = () => {
      const form = new FormData();
      const fields = { file_id, model: "stt-51:eng", response_format: "verbose_json" };
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      for (const each of ["word", "segment"]) form.append("timestamp_granularities[]", each);
      return send(`${world.url}/v1/audio/transcriptions`, { token: owner.token, form, headers });
    };
    const { bytes: stored } = await request();
    requireSame("whether it is large", stored.length > 300_000, true);
    return async () => {
      const again = await request();
      requireSame("Idempotent-Replayed", again.headers.get("idempotent-replayed"), "true");
      requireSame("whether the bytes are the same", again.bytes.equals(stored), true);
    };
  },
};

const determined = z.object({
  text: z.string(),
  language: z.enum(["en", "sw"]),
  usage: z.object({ seconds: z.number() }),
});

const severalLanguages: Scenario = {
  title: "an account with the languages, names and terms of its recordings",
  prepare: async ({ url, voice, ...world }) => {
    const { token } = await createAccount({ url, voice, ...world }, "mixes");
    const { wav, words } = recordWords(voice, 10, 5);
    const json = { default_languages: ["eng", "swa"], keywords: ["Nakato", "Gulu"] };
    await send(`${url}/auth/profile`, { method: "PUT", token, json });
    const me = () =>
      read(z.looseObject({ default_languages: z.array(z.string()) }), `${url}/auth/me`, { token });
    const hear = () => {
      const form = new FormData();
      form.set("file", new Blob([new Uint8Array(wav)], { type: "audio/wav" }), "market.wav");
      form.set("model", "stt-51");
      return read(determined, `${url}/v1/audio/transcriptions`, { token, form });
    };
    const [stored, heard] = [await me(), await hear()];
    requireSame("the transcript", heard.text, words.join(" "));
    return async () => {
      requireSame("GET /auth/me", await me(), stored);
      requireSame("the transcript, its language and seconds", await hear(), heard);
    };
  },
};

export const recordingScenarios: readonly Scenario[] = [
  upload,
  partedUpload,
  speech,
  transcription,
  largeResponse,
  severalLanguages,
];

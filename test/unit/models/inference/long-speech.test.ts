import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Speech } from "../../../../shared/audio/wav/streamed-wav.ts";
import { splitSpokenText } from "../../../../shared/models/inference/openai/speak-in-turn.ts";
import { createOpenAiSynthesizer } from "../../../../shared/models/inference/openai/synthesizer.ts";
import type { GivenProfile } from "../../../../shared/models/inference/profile-schema.ts";
import {
  type Behaviour,
  type FakeBackend,
  responding,
  startFakeBackend,
} from "../../../support/fake-backend.ts";
import { modelServer } from "../../../support/model-servers.ts";
import { audioBytes, wavFile, wavHeaderBytes } from "../../../support/wav.ts";

let backend: FakeBackend;
beforeAll(async () => {
  backend = await startFakeBackend();
});
afterAll(() => backend.close());

/** @returns a sentence of this many characters. */
const sentence = (length: number): string => `${"Oli otya nnyabo ".repeat(length).slice(0, length - 1)}.`;
const longText = [sentence(150), sentence(150), sentence(150), sentence(500)].join(" ");
const pieces = [sentence(150), [sentence(150), sentence(150)].join(" "), sentence(500)];

const synthesize = (
  text: string,
  profile: GivenProfile["speech"] = {},
  signal = new AbortController().signal,
): Promise<Speech> => {
  const server = modelServer({
    baseUrl: backend.baseUrl,
    silenceMilliseconds: 2_000,
    profile: { speech: profile },
  });
  const request = { text, voice: "salt_lug_0001", language: undefined, sampling: { seed: 7 } };
  return createOpenAiSynthesizer([server]).synthesize(request, { signal });
};

const read = async ({ audio }: Speech): Promise<Buffer> => {
  const parts: Uint8Array[] = [];
  for await (const part of audio) parts.push(part);
  return Buffer.concat(parts);
};

const requests = (): Record<string, unknown>[] => backend.received.map(({ body }) => JSON.parse(body));

const sending =
  (file: Buffer): Behaviour =>
  (response) =>
    void response.end(file);
const audios = [audioBytes(4_800), audioBytes(2_400).reverse(), audioBytes(960)];
const speaking = (options = {}): Behaviour[] => audios.map((audio) => sending(wavFile(audio, options)));

describe("a long text", () => {
  it.each([[{ stated: true }], [{}]] as const)(
    "is requested in pieces that end with sentences, the first one short, and joined (%j)",
    async (options) => {
      backend.behave(...speaking(options));
      const speech = await synthesize(longText);
      expect(speech.header).toMatchObject({ audioBytes: undefined, format: { sampleRate: 24_000 } });
      expect((await read(speech)).equals(Buffer.concat(audios))).toBe(true);
      expect(requests().map(({ input }) => input)).toEqual(pieces);
      expect(requests().map(({ seed, voice }) => [seed, voice])).toEqual(
        pieces.map(() => [7, "salt_lug_0001"]),
      );
    },
  );

  it("has the audio of all files in each response, and no other chunk", async () => {
    const text = Buffer.from("LIST\x0a\0\0\0INFOISFT\0\0");
    const responses = audios.map((audio) => {
      const file = wavFile(audio, { stated: true });
      return Buffer.concat([file, text, file, text]);
    });
    backend.behave(...responses.map(sending));
    const heard = Buffer.concat(audios.flatMap((audio) => [audio, audio]));
    expect((await read(await synthesize(longText))).equals(heard)).toBe(true);
  });

  it("is one request to a server that streams, and one piece after another where that takes less", async () => {
    backend.behave(...speaking());
    await read(await synthesize(longText, { streams: true }));
    expect(requests()).toMatchObject([{ input: longText, stream: true }]);
    backend.behave(...speaking());
    await read(await synthesize(longText, { streams: true, max_characters: 500 }));
    expect(requests()).toMatchObject(pieces.map((input) => ({ input, stream: true })));
  });

  it("has its next piece requested once the one before it has arrived, however slowly it is read", async () => {
    const rest = Promise.withResolvers<void>();
    const second = Promise.withResolvers<void>();
    backend.behave(
      (response) => {
        response.write(wavHeaderBytes(0));
        response.write(audios[0]);
        // A server that works on one request at a time cannot send this once it works on the next.
        void rest.promise.then(() => response.end(audioBytes(96_000)));
      },
      (response) => {
        second.resolve();
        response.end(wavFile(audioBytes(960)));
      },
    );
    const speech = await synthesize([sentence(150), sentence(150)].join(" "));
    const audio = speech.audio[Symbol.asyncIterator]();
    const { value: first } = await audio.next();
    expect(backend.received).toHaveLength(1);
    rest.resolve();
    await second.promise;
    let bytes = first?.length ?? 0;
    for (let next = await audio.next(); !next.done; next = await audio.next()) bytes += next.value.length;
    expect(bytes).toBe(4_800 + 96_000 + 960);
  });

  it("breaks off after what was spoken when a later piece fails", async () => {
    backend.behave(
      sending(wavFile(audioBytes(4_800))),
      responding(500, { error: { message: "out of memory" } }),
    );
    const speech = await synthesize(longText);
    let received = 0;
    const reading = (async () => {
      for await (const piece of speech.audio) received += piece.length;
    })();
    await expect(reading).rejects.toMatchObject({ code: "external_service_error" });
    expect(received).toBe(4_800);
  });

  it("breaks off when the server changes the format between two pieces", async () => {
    backend.behave(
      sending(wavFile(audioBytes(480))),
      sending(wavFile(audioBytes(480), { sampleRate: 16_000 })),
    );
    await expect(synthesize(longText).then(read)).rejects.toMatchObject({ code: "external_service_error" });
  });

  it("ends the server's work on the next piece with the caller's interest", async () => {
    const left = Promise.withResolvers<void>();
    const requested = Promise.withResolvers<void>();
    backend.behave(sending(wavFile(audioBytes(480))), (response) => {
      requested.resolve();
      response.once("close", () => left.resolve());
    });
    const speech = await synthesize(longText);
    for await (const _ of speech.audio) {
      await requested.promise;
      break;
    }
    await expect(left.promise).resolves.toBeUndefined();
  });
});

describe("the pieces of a spoken text", () => {
  it.each<[what: string, text: string, maxLength: number | undefined]>([
    ["sentences", longText, 200],
    ["one long sentence with clauses", `${"Oli otya nnyabo, ".repeat(100)}webale.`, 120],
    ["words alone", "webale nnyo ".repeat(100).trim(), 100],
    ["a text without spaces", "ndagamuntu".repeat(60), 50],
    ["letters of two units", "𞤀𞤣𞤢𞤥".repeat(40), 31],
    ["marks alone", ",".repeat(400), 60],
  ])("of %s lose nothing, are within the limit and never empty", (_what, text, maxLength) => {
    const split = splitSpokenText(text, maxLength);
    expect(split.join("").replaceAll(/\s/g, "")).toBe(text.replaceAll(/\s/g, ""));
    for (const piece of split) {
      expect(piece.length).toBeLessThanOrEqual(maxLength ?? Number.POSITIVE_INFINITY);
      expect(piece.trim()).toBe(piece);
      expect(piece).not.toBe("");
      expect(piece.isWellFormed()).toBe(true);
    }
  });

  it("leave a short text whole, and cut a long sentence only where its clauses end", () => {
    expect(splitSpokenText(sentence(200), undefined)).toEqual([sentence(200)]);
    expect(splitSpokenText(sentence(700), undefined)).toEqual([sentence(700)]);
    const clauses = splitSpokenText(`${"Oli otya nnyabo, ".repeat(100)}webale.`, undefined);
    expect(clauses.length).toBeGreaterThan(2);
    expect(clauses[0]?.length).toBeLessThanOrEqual(200);
  });
});

describe("audio of a server", () => {
  const samples = audioBytes(4_800);

  it("that makes no WAV is requested as samples, once for each process", async () => {
    const refusal = responding(400, { error: { message: "response_format must be one of: pcm, mp3" } });
    backend.behave(refusal, sending(samples));
    const server = modelServer({ baseUrl: backend.baseUrl });
    const synthesizer = createOpenAiSynthesizer([server]);
    const request = { text: "Oli otya?", voice: "salt_lug_0001", language: undefined, sampling: {} };
    const { signal } = new AbortController();
    const speech = await synthesizer.synthesize(request, { signal });
    expect(speech.header.format).toEqual({
      encoding: "pcm",
      sampleRate: 24_000,
      channels: 1,
      bitsPerSample: 16,
    });
    expect((await read(speech)).equals(samples)).toBe(true);
    await read(await synthesizer.synthesize(request, { signal }));
    expect(requests().map(({ response_format: format }) => format)).toEqual(["wav", "pcm", "pcm"]);
  });

  it("has the rate of the profile where it has no header", async () => {
    backend.behave(sending(samples));
    const plain = await synthesize("Oli otya?", { formats: ["pcm", "mp3"], sample_rate: 22_050 });
    expect(plain.header.format.sampleRate).toBe(22_050);
    expect((await read(plain)).equals(samples)).toBe(true);
    expect(requests()).toMatchObject([{ response_format: "pcm" }]);
    backend.behave(sending(wavFile(samples, { sampleRate: 16_000 })));
    const file = await synthesize("Oli otya?", { sample_rate: 22_050 });
    expect(file.header.format.sampleRate).toBe(16_000);
    expect((await read(file)).equals(samples)).toBe(true);
  });

  it("is missing where the response is text", async () => {
    backend.behave(responding(200, { error: "no voice" }));
    await expect(synthesize("Oli otya?", { sample_rate: 24_000 })).rejects.toMatchObject({
      code: "external_service_error",
    });
  });
});

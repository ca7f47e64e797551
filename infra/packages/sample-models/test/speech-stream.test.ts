import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { sampleModels, startSampleInference } from "../src/index.ts";
import { createSpeech } from "../src/speech/create-speech.ts";
import { Synthesiser, type Utterance } from "../src/speech/synthesiser.ts";
import { exchangeWith, parseWav } from "./audio-fixture.ts";

const greeting = "Nkusanyukidde nnyo, ssebo. Oli otya?";
const longText = `${greeting} `.repeat(250).trim();

/** The body of a request for speech. */
const ask = (body: object = {}): string =>
  JSON.stringify({ model: sampleModels.speech, input: greeting, voice: "sample_lug_1", ...body });

describe("The stream of speech", () => {
  /** A synthesiser that is ready with an utterance when the test says so. */
  const heldSynthesiser = () => {
    const utterances: (Utterance & PromiseWithResolvers<Int16Array>)[] = [];
    const synthesise = (utterance: Utterance) => {
      const spoken = Promise.withResolvers<Int16Array>();
      utterances.push({ ...utterance, ...spoken });
      return spoken.promise;
    };
    return { utterances, synthesise };
  };

  it("begins with the first samples, while the rest is still to be synthesised", async () => {
    const { utterances, synthesise } = heldSynthesiser();
    const exchange = exchangeWith(createSpeech(synthesise), ask({ input: longText }));
    await expect.poll(() => utterances.length).toBe(1);
    utterances[0]?.resolve(new Int16Array(24_000));
    const { response, client, close } = await exchange;
    let received = Buffer.alloc(0);
    for await (const chunk of response) {
      received = Buffer.concat([received, chunk]);
      if (received.length > 48_000) break;
    }
    expect(parseWav(received).tags["ICMT"]).toBe(longText);
    expect(utterances).toHaveLength(2);
    client.destroy();
    utterances[1]?.resolve(new Int16Array(24_000));
    await close();
  });

  it("reads the text as the language that the request names", async () => {
    const names: string[] = [];
    const endpoint = createSpeech(async ({ voiceName }) => {
      names.push(voiceName);
      return new Int16Array(1);
    });
    for (const language of [undefined, "eng", "English", "afr", "Tswana", "nyn"]) {
      const { response, close } = await exchangeWith(endpoint, ask({ input: "Maama.", language }));
      response.resume();
      await once(response, "end");
      await close();
    }
    expect(names).toEqual(["sw+f2", "en+f2", "en+f2", "af+f2", "tn+f2", "sw+f2"]);
  });

  it("stops the synthesis when the client disconnects, and others are served", async () => {
    const synthesiser = new Synthesiser();
    let requested = 0;
    const endpoint = createSpeech((utterance) => {
      requested += 1;
      return synthesiser.synthesise(utterance);
    });
    const gone = await exchangeWith(endpoint, ask({ input: longText }));
    await once(gone.response, "data");
    gone.client.destroy();
    await gone.handled;
    const requestedAtTheEnd = requested;
    expect(requestedAtTheEnd).toBeLessThan(100);

    const next = await exchangeWith(endpoint, ask());
    next.response.resume();
    await once(next.response, "end");
    // The two sentences of the next request, and no more of the five hundred of the first.
    expect(requested).toBe(requestedAtTheEnd + 2);
    await Promise.all([gone.close(), next.close(), synthesiser.close()]);
  });

  it("does not hold up others when a client does not read", async () => {
    const local = await startSampleInference();
    const speak = (input: string) =>
      fetch(`${local.baseUrl}/audio/speech`, { method: "POST", body: ask({ input }) });
    const slow = await speak(longText);
    const quick = await speak("Webale.");
    expect((await quick.arrayBuffer()).byteLength).toBeGreaterThan(10_000);
    await slow.body?.cancel();
    await local.close();
  });

  it("is an ordinary error when the synthesiser fails before the first samples", async () => {
    const { utterances, synthesise } = heldSynthesiser();
    const exchange = exchangeWith(createSpeech(synthesise), ask());
    await expect.poll(() => utterances.length).toBe(1);
    const warned = once(process, "warning");
    utterances[0]?.reject(new Error("The synthesiser has no voice today."));
    const { response, close } = await exchange;
    expect(response.statusCode).toBe(500);
    expect(String(await warned)).toContain("no voice today");
    await close();
  });

  it("breaks off when the synthesiser fails later, so that no client takes it as complete", async () => {
    const { utterances, synthesise } = heldSynthesiser();
    const exchange = exchangeWith(createSpeech(synthesise), ask());
    await expect.poll(() => utterances.length).toBe(1);
    utterances[0]?.resolve(new Int16Array(100));
    const { response, close } = await exchange;
    response.resume();
    await expect.poll(() => utterances.length).toBe(2);
    const broken = once(response, "error");
    const warned = once(process, "warning");
    utterances[1]?.reject(new Error("The synthesiser broke down."));
    expect(await broken).toMatchObject([{ code: "ECONNRESET" }]);
    expect(String(await warned)).toContain("broke down");
    await close();
  });
});

describe("The synthesiser", () => {
  const utterance = {
    text: "Webale",
    voiceName: "sw+f2",
    pitch: 50,
    wordsPerMinute: 160,
    maxSeconds: 60,
  };

  const nextWorker = (): Promise<Worker[]> => once(process, "worker");

  it("cuts off what is longer than it may be", async () => {
    const synthesiser = new Synthesiser();
    const samples = await synthesiser.synthesise({ ...utterance, maxSeconds: 0.25 });
    expect(samples.length / 24_000).toBeCloseTo(0.25, 3);
    await synthesiser.close();
  });

  it("fails for an unknown voice, and continues", async () => {
    const synthesiser = new Synthesiser();
    await expect(synthesiser.synthesise({ ...utterance, voiceName: "nobody" })).rejects.toThrow(
      "no voice 'nobody'",
    );
    expect((await synthesiser.synthesise(utterance)).length).toBeGreaterThan(6_000);
    await synthesiser.close();
  });

  it("starts its thread at the first utterance, and again after it has died", async () => {
    const synthesiser = new Synthesiser();
    const started = nextWorker();
    const [first] = await Promise.all([synthesiser.synthesise(utterance), started]);
    const [worker] = await started;
    const orphaned = expect(synthesiser.synthesise(utterance)).rejects.toThrow("has stopped");
    await worker?.terminate();
    await orphaned;
    const second = await synthesiser.synthesise(utterance);
    expect(second.length / first.length).toBeCloseTo(1, 1);
    await synthesiser.close();
  });

  it("ends its thread and every utterance in it when the server is closed", async () => {
    const started = nextWorker();
    const local = await startSampleInference();
    const response = await fetch(`${local.baseUrl}/audio/speech`, {
      method: "POST",
      body: ask({ input: longText }),
    });
    const [worker] = await started;
    const ended = Promise.withResolvers<void>();
    worker?.once("exit", () => ended.resolve());
    await local.close();
    await ended.promise;
    await expect(response.arrayBuffer()).rejects.toThrow();
  });

  it("speaks no more after it was closed", async () => {
    const synthesiser = new Synthesiser();
    await synthesiser.close();
    await expect(synthesiser.synthesise(utterance)).rejects.toThrow("closed");
  });
});

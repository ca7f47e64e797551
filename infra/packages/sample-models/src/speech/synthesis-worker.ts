/**
 * The thread in which the sample server speaks. The synthesiser blocks its thread while it works, which would stop
 * everything else on the thread of the server.
 *
 * eSpeak NG is under the GPL 3: it is loaded here only, on a developer's own machine, and must not get into a bundle
 * that is deployed.
 */
import { parentPort } from "node:worker_threads";
import loadSynthesiser from "@echogarden/espeak-ng-emscripten";
import { resample, sampleRate } from "./samples.ts";
import type { SynthesisRequest, SynthesisResult, Utterance } from "./synthesiser.ts";

/** Per cent. At full volume the loudest of its voices come near to clipping. */
const volume = 85;

const port = parentPort;
if (port === null) throw new Error("This module is a worker thread of the sample server.");

// The library prints a line for every odd character it meets.
const silent = () => undefined;
const { eSpeakNGWorker: Synthesiser } = await loadSynthesiser({ print: silent, printErr: silent });
const synthesiser = new Synthesiser();
synthesiser.set_volume(volume);

port.on("message", ({ id, utterance }: SynthesisRequest) => {
  try {
    const samples = resample(synthesise(utterance), synthesiser.samplerate, sampleRate);
    port.postMessage({ id, samples } satisfies SynthesisResult, [samples.buffer]);
  } catch (error) {
    port.postMessage({ id, failure: String(error) } satisfies SynthesisResult);
  }
});

const synthesise = ({ text, voiceName, pitch, wordsPerMinute, maxSeconds }: Utterance): Int16Array => {
  if (synthesiser.set_voice(voiceName) !== 0) throw new Error(`There is no voice '${voiceName}'.`);
  synthesiser.set_pitch(pitch);
  synthesiser.set_rate(wordsPerMinute);
  const maxSamples = Math.floor(maxSeconds * synthesiser.samplerate);
  const parts: Int16Array[] = [];
  let length = 0;
  synthesiser.synthesize(text, (samples) => {
    parts.push(samples);
    length += samples.length;
    return length >= maxSamples;
  });
  return join(parts, length).subarray(0, maxSamples);
};

const join = (parts: readonly Int16Array[], length: number): Int16Array => {
  const whole = new Int16Array(length);
  let position = 0;
  for (const part of parts) {
    whole.set(part, position);
    position += part.length;
  }
  return whole;
};

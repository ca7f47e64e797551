import * as z from "zod";
import type { Endpoint } from "../endpoint.ts";
import { requireModel, sampleModels } from "../models.ts";
import { parseRequest, readJson, requireFormat } from "../read-request.ts";
import { sendStream } from "../send-response.ts";
import { sampleRate } from "./samples.ts";
import { speak } from "./speak.ts";
import type { Synthesise } from "./synthesiser.ts";
import { baseVoiceOf, castVoices, ownVoices, type Voice, type VoiceCatalogue } from "./voices.ts";
import { wavHeader } from "./wav-header.ts";

/**
 * A request for speech, in OpenAI's shape and with the settings that speech models add to it. The settings of
 * sampling are checked and have no effect: nothing is sampled here. A language is an ISO 639-3 code or an English
 * name; without one a voice reads the text in its own.
 *
 * Source: https://platform.openai.com/docs/api-reference/audio/createSpeech
 */
const speechRequest = (voices: ReadonlyMap<string, Voice>) =>
  z.looseObject({
    model: z.string(),
    input: z
      .string()
      .max(10_000)
      .regex(/\S/u, { error: "The text is empty." })
      .transform((text) => text.toWellFormed()),
    voice: z.string().transform((tag, context): Voice => {
      const found = voices.get(tag);
      if (found) return found;
      const [example = "none"] = voices.keys();
      context.addIssue(`The sample server has voices of its own, for example '${example}'.`);
      return z.NEVER;
    }),
    response_format: z.string().nullish(),
    // Raw audio is what the sample server streams; a client that waits for events must learn that none come.
    stream_format: z.literal("audio", { error: "The sample server streams audio only." }).nullish(),
    language: z.string().max(100).nullish(),
    temperature: z.number().min(0).max(2).nullish(),
    top_p: z.number().gt(0).max(1).nullish(),
    repetition_penalty: z.number().gt(0).max(2).nullish(),
    max_tokens: z.int().min(1).nullish(),
    seed: z.int().nullish(),
  });

/**
 * `POST /v1/audio/speech`: speech as WAV or as bare samples, sent during synthesis.
 *
 * Source: https://platform.openai.com/docs/api-reference/audio/createSpeech
 */
export const createSpeech = (synthesise: Synthesise, catalogue: VoiceCatalogue = ownVoices): Endpoint => {
  const schema = speechRequest(castVoices(catalogue));
  return {
    method: "POST",
    path: "/v1/audio/speech",
    handle: async ({ request, response }) => {
      const { model, input, voice, language, response_format } = parseRequest(
        schema,
        await readJson(request),
      );
      requireModel(model, [sampleModels.speech]);
      const format = requireFormat(response_format ?? "wav", ["wav", "pcm"]);
      const base = language == null ? voice.base : baseVoiceOf(language);
      const headers = { "content-type": `audio/${format}`, "x-sample-rate": String(sampleRate) };
      await sendStream(response, headers, () => {
        const speech = speak(input, voice, base, synthesise);
        return format === "wav" ? asWav(input, speech) : asBytes(speech);
      });
    },
  };
};

/** The header comes with the first samples: until there are any, the response may still become an error. */
async function* asWav(text: string, speech: AsyncIterable<Int16Array>): AsyncGenerator<Buffer> {
  let started = false;
  for await (const bytes of asBytes(speech)) {
    yield started ? bytes : Buffer.concat([wavHeader(text), bytes]);
    started = true;
  }
}

async function* asBytes(speech: AsyncIterable<Int16Array>): AsyncGenerator<Buffer> {
  for await (const { buffer, byteOffset, byteLength } of speech) {
    yield Buffer.from(buffer, byteOffset, byteLength);
  }
}

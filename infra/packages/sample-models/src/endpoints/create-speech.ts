import type { Endpoint } from "../endpoint.ts";
import { readJson } from "../json.ts";
import { requireModel, sampleModels } from "../models.ts";
import { parseRequest } from "../parse-request.ts";
import { requireFormat } from "../require-format.ts";
import { sendStream } from "../send-stream.ts";
import { baseVoiceOf } from "../speech/base-voice.ts";
import { speak } from "../speech/speak.ts";
import { speechRequest } from "../speech/speech-request.ts";
import { type Synthesise, sampleRate } from "../speech/utterance.ts";
import { wavHeader } from "../speech/wav-header.ts";

/**
 * `POST /v1/audio/speech`: speech as WAV or as bare samples, sent while it is being synthesised.
 *
 * Source: https://platform.openai.com/docs/api-reference/audio/createSpeech
 */
export function createSpeech(synthesise: Synthesise): Endpoint {
  return {
    method: "POST",
    path: "/v1/audio/speech",
    handle: async ({ request, response }) => {
      const { model, input, voice, language, response_format } = parseRequest(
        speechRequest,
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
}

/** The header comes with the first samples: until there are any, the answer may still become an error. */
async function* asWav(text: string, speech: AsyncIterable<Int16Array>): AsyncGenerator<Buffer> {
  let begun = false;
  for await (const bytes of asBytes(speech)) {
    yield begun ? bytes : Buffer.concat([wavHeader(text), bytes]);
    begun = true;
  }
}

async function* asBytes(speech: AsyncIterable<Int16Array>): AsyncGenerator<Buffer> {
  for await (const { buffer, byteOffset, byteLength } of speech) {
    yield Buffer.from(buffer, byteOffset, byteLength);
  }
}

import type { EncodedAudio } from "../../../shared/audio/encode/audio-formats.ts";
import { Reply } from "../../../shared/http/response.ts";
import { isSpeechModel, speechModel } from "../../../shared/platform/catalogue/audio-models.ts";
import { allVoices, nameOfVoice, openAiVoices } from "../../../shared/platform/catalogue/voices.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { toAppError } from "../../../shared/platform/errors/dependency-failure.ts";
import { errorBody } from "../../../shared/platform/errors/error-body.ts";
import { countCharacters } from "../../../shared/platform/telemetry/use.ts";
import type { SpeechContext, SpeechDependencies } from "../dependencies.ts";
import { streamSpeech } from "../record-speech.ts";
import { type ChosenVoice, chooseVoice, toSpeechRequest } from "../voices.ts";
import type { V1SpeechRequest } from "./contract.ts";

export interface V1SpeechContext extends SpeechContext {
  readonly requestId: string;
  /** ISO 639-3. */
  readonly defaultLanguage: string | undefined;
}

const namedVoice = ({ voice }: V1SpeechRequest): string | undefined =>
  typeof voice === "object" ? voice?.id : voice;

const chooseV1Voice = (request: V1SpeechRequest, defaultLanguage: string | undefined): ChosenVoice => {
  const { language } = request;
  const named = namedVoice(request);
  if (named !== undefined && !openAiVoices.has(named)) return chooseVoice(named, language);
  return chooseVoice(undefined, language ?? defaultLanguage);
};

const frame = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;

/** OpenAI's client types require token counts, and the model counts none. */
const noTokens = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };

async function* inEvents(
  audio: EncodedAudio,
  requestId: string,
): AsyncGenerator<string, AppError | undefined, undefined> {
  try {
    for await (const piece of streamSpeech(audio)) {
      yield frame({ type: "speech.audio.delta", audio: Buffer.from(piece).toString("base64") });
    }
    yield frame({ type: "speech.audio.done", usage: noTokens });
    return undefined;
  } catch (error) {
    const failure = toAppError(error);
    yield frame(errorBody(failure, requestId));
    return failure;
  }
}

/**
 * Turns a text into a stream of speech. @throws AppError `model_not_found`, or as {@link chooseVoice} and the
 * synthesizer do.
 */
export const createV1Speech = async (
  request: V1SpeechRequest,
  { signal, format, defaultLanguage, requestId }: V1SpeechContext,
  { synthesizer, encode }: SpeechDependencies,
): Promise<Reply> => {
  if (!isSpeechModel(request.model)) throw new AppError("model_not_found", { param: "model" });
  const { voice, language } = chooseV1Voice(request, defaultLanguage);
  const spoken = toSpeechRequest(
    { text: request.input, language: request.language, voice: namedVoice(request) },
    { voice, language },
  );
  const audio = await encode(format, await synthesizer.synthesize(spoken, { signal }));
  countCharacters(request.input);
  return request.stream_format === "sse"
    ? new Reply({ contentType: "text/event-stream; charset=utf-8", body: inEvents(audio, requestId) })
    : new Reply({
        contentType: audio.contentType,
        headers: { "X-Sample-Rate": String(audio.sampleRate) },
        body: streamSpeech(audio),
      });
};

export const listV1Voices = () => ({
  voices: allVoices.map((id) => ({ id, name: nameOfVoice(id) })),
});

export const listV1SpeechModels = () => ({ models: [{ id: speechModel }] });

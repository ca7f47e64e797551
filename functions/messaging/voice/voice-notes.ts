import { findSynthesisLanguage } from "../../../shared/catalogue/voices.ts";
import type { Speech, SpeechSynthesizer } from "../../../shared/inference/speech.ts";
import type { NewMedia } from "../platform/messaging-platform.ts";
import { speakableText } from "../text/speakable-text.ts";

/** Turns texts into voice notes that the platform takes. */
export interface VoiceNotes {
  /**
   * @param language ISO 639-3; one that has a voice, see {@link hasVoice}.
   * @throws AppError as the synthesiser does; Error when there is nothing to be said.
   */
  make(text: string, language: string, options: { readonly signal: AbortSignal }): Promise<NewMedia>;
}

/** Makes a file that the platform plays out of speech as models give it: AAC, AMR, MP3 or, best, OGG with Opus. */
export interface SpeechEncoder {
  readonly contentType: string;
  /** Without the dot. */
  readonly fileExtension: string;
  /** Reads the speech to its end. @throws Error when its format is not one that can be encoded. */
  encode(speech: Speech): Promise<Uint8Array>;
}

/** The voice in which a language is spoken; `undefined` when it has none. A voice never speaks another language. */
const voiceOf = (language: string): string | undefined => findSynthesisLanguage(language)?.voices[0];

/** Whether anything can be said in a language. */
export const hasVoice = (language: string): boolean => voiceOf(language) !== undefined;

/** Voice notes from a speech model and an encoder. */
export const createVoiceNotes = ({
  synthesizer,
  encoder,
}: {
  readonly synthesizer: SpeechSynthesizer;
  readonly encoder: SpeechEncoder;
}): VoiceNotes => ({
  make: async (text, language, { signal }) => {
    const voice = voiceOf(language);
    const words = speakableText(text);
    if (voice === undefined || words === "")
      throw new Error("There is nothing to say, or no voice to say it.");
    const speech = await synthesizer.synthesize({ text: words, voice, language, sampling: {} }, { signal });
    try {
      const { contentType, fileExtension } = encoder;
      return { bytes: await encoder.encode(speech), contentType, fileName: `voice.${fileExtension}` };
    } finally {
      speech.cancel();
    }
  },
});

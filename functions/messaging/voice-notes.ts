import { encodeAudio } from "../../shared/audio/encode/encode-audio.ts";
import type { SpeechSynthesizer } from "../../shared/models/inference/speech.ts";
import { findSynthesisLanguage } from "../../shared/platform/catalogue/voices.ts";
import { languageOf, type Settings } from "./conversation.ts";
import { firstSentences } from "./cut-text.ts";
import type { NewMedia } from "./messaging-platform.ts";
import { type Output, say } from "./plan.ts";
import { wording } from "./wording.ts";

/** About 45 seconds of speech. */
const maxCharacters = 600;

const withoutMarkdown = (text: string): string =>
  text
    .replace(/```[^\n]*\n?/g, "")
    .replace(/!?\[([^\]\n]*)\]\([^)\s]*\)/g, "$1")
    .replace(/https?:\/\/\S+/g, "")
    .replace(/^[ \t]*(?:#{1,6}|>|[-*+•])[ \t]+/gm, "")
    .replace(/[*_~`]{1,3}/g, "");

/** Pictures, flags, and what joins or varies them. */
const emoji =
  /\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Emoji_Modifier}|[\u{FE0F}\u{20E3}]|\u{200D}/gu;

const withoutEmoji = (text: string): string => text.replace(emoji, "");

/**
 * Numbers as a voice reads them well: a phone number digit by digit, an amount without the marks between its thousands.
 * The former goes first, because an amount has a mark and a phone number has none.
 */
const withSpokenNumbers = (text: string): string =>
  text
    .replace(/\d{7,}/g, (digits) => [...digits].join(" "))
    .replace(/\b\d{1,3}(?:,\d{3})+\b/g, (amount) => amount.replaceAll(",", ""));

/** What of a text is read out: no signs that are only for the eye, and at most 600 characters. */
export const speakableText = (text: string): string =>
  firstSentences(
    withSpokenNumbers(withoutEmoji(withoutMarkdown(text)))
      .replace(/\s+/g, " ")
      .trim(),
    maxCharacters,
  );

/** Turns texts into voice notes that the platform takes. */
export interface VoiceNotes {
  /**
   * @param language ISO 639-3; one that has a voice, see {@link hasVoice}.
   * @throws AppError as the synthesiser does; Error when there is nothing to be said.
   */
  make(text: string, language: string, options: { readonly signal: AbortSignal }): Promise<NewMedia>;
}

/** The voice in which a language is spoken; `undefined` when it has none. A voice never speaks another language. */
const voiceOf = (language: string): string | undefined => findSynthesisLanguage(language)?.voices[0];

/** Whether anything can be said in a language. */
export const hasVoice = (language: string): boolean => voiceOf(language) !== undefined;

/** A text read aloud, or the sentence that says why it cannot be. */
export const spoken = (text: string, settings: Settings): Output => {
  const { code, name } = languageOf(settings);
  return hasVoice(code) ? { kind: "speech", text, language: code } : say(wording.noVoiceFor(name));
};

/** The voice reply to an answer for those who have asked for them; nothing where there is no voice. */
export const voiceReply = (text: string, { voice, language }: Settings): Output[] =>
  voice && hasVoice(language) ? [{ kind: "speech", text, language }] : [];

/** Voice notes from a speech model: Opus in Ogg, as phones record them. The platform shows no other format as one. */
export const createVoiceNotes = (synthesizer: SpeechSynthesizer): VoiceNotes => ({
  make: async (text, language, { signal }) => {
    const voice = voiceOf(language);
    const words = speakableText(text);
    if (voice === undefined || words === "")
      throw new Error("There is nothing to say, or no voice to say it.");
    const request = { text: words, voice, language, sampling: {} };
    const audio = await encodeAudio("opus", await synthesizer.synthesize(request, { signal }));
    const { contentType, fileExtension } = audio;
    const pieces: Uint8Array[] = [];
    for await (const piece of audio.pieces) pieces.push(piece);
    return { bytes: Buffer.concat(pieces), contentType, fileName: `voice.${fileExtension}` };
  },
});

import { encodeAudio } from "../../shared/audio/encode/encode-audio.ts";
import type { SpeechSynthesizer } from "../../shared/models/inference/speech.ts";
import { findSynthesisLanguage } from "../../shared/platform/catalogue/voices.ts";
import { languageOf, type Settings } from "./conversation.ts";
import { firstSentences } from "./cut-text.ts";
import type { NewMedia } from "./messaging-platform.ts";
import { type Output, say } from "./plan.ts";
import type { Wording } from "./wording/english.ts";

/** About 45 seconds of speech. */
const maxCharacters = 600;

const withoutMarkdown = (text: string): string =>
  text
    .replace(/```[^\n]*\n?/g, "")
    .replace(/!?\[([^\]\n]*)\]\([^)\s]*\)/g, "$1")
    .replace(/https?:\/\/\S+/g, "")
    .replace(/^[ \t]*(?:#{1,6}|>|[-*+•])[ \t]+/gm, "")
    .replace(/[*_~`]{1,3}/g, "");

/** Pictures, flags, joiners and variation selectors. */
const emoji =
  /\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Emoji_Modifier}|[\u{FE0F}\u{20E3}]|\u{200D}/gu;

const withoutEmoji = (text: string): string => text.replace(emoji, "");

/**
 * Prepares numbers for a voice: phone numbers digit by digit, amounts without the commas between thousands. Phone numbers go
 * first, because they have no commas.
 */
const withSpokenNumbers = (text: string): string =>
  text
    .replace(/\d{7,}/g, (digits) => [...digits].join(" "))
    .replace(/\b\d{1,3}(?:,\d{3})+\b/g, (amount) => amount.replaceAll(",", ""));

/** Returns the part of a text to read aloud: at most 600 characters, without Markdown, links and emoji. */
export const speakableText = (text: string): string =>
  firstSentences(
    withSpokenNumbers(withoutEmoji(withoutMarkdown(text)))
      .replace(/\s+/g, " ")
      .trim(),
    maxCharacters,
  );

/** Turns texts into voice notes that the platform accepts. */
export interface VoiceNotes {
  /**
   * @param language ISO 639-3; must have a voice, see {@link hasVoice}.
   * @throws AppError of the synthesizer; Error when there is nothing to say.
   */
  make(text: string, language: string, options: { readonly signal: AbortSignal }): Promise<NewMedia>;
}

/** The voice of a language. No voice speaks another language. */
const voiceOf = (language: string): string | undefined => findSynthesisLanguage(language)?.voices[0];

export const hasVoice = (language: string): boolean => voiceOf(language) !== undefined;

/** Returns a text read aloud, or a text that says why that is not possible. */
export const spoken = (text: string, settings: Settings, { noVoiceFor }: Wording): Output => {
  const { code, name } = languageOf(settings);
  return hasVoice(code) ? { kind: "speech", text, language: code } : say(noVoiceFor(name));
};

/** Returns the voice note for a reply, if the person wants voice notes and the language has a voice. */
export const voiceReply = (text: string, { voice, language }: Settings): Output[] =>
  voice && hasVoice(language) ? [{ kind: "speech", text, language }] : [];

/** Creates voice notes with a speech model, as Opus in Ogg: the platform shows no other format as a voice note. */
export const createVoiceNotes = (synthesizer: SpeechSynthesizer): VoiceNotes => ({
  make: async (text, language, { signal }) => {
    const voice = voiceOf(language);
    const words = speakableText(text);
    if (voice === undefined || words === "") throw new Error("There is no text or no voice.");
    const request = { text: words, voice, language, sampling: {} };
    const audio = await encodeAudio("opus", await synthesizer.synthesize(request, { signal }));
    const { contentType, fileExtension } = audio;
    const pieces: Uint8Array[] = [];
    for await (const piece of audio.pieces) pieces.push(piece);
    return { bytes: Buffer.concat(pieces), contentType, fileName: `voice.${fileExtension}` };
  },
});

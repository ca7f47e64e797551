import type { Language } from "../../shared/platform/catalogue/languages.ts";
import { checkedPhrase } from "./checked-phrases.ts";
import type { Mode, Settings } from "./conversation.ts";
import { type PaceLimit, paceLimits } from "./pace.ts";
import { type Output, say } from "./plan.ts";

export const modeNames: Readonly<Record<Mode, string>> = {
  chat: "Chat",
  translate: "Translate",
  transcribe: "Transcribe",
  speak: "Speak / TTS",
};

const onOff = (isOn: boolean): string => (isOn ? "on" : "off");

const help = `Here is what I can do:

*Chat* – ask me anything.
*Translate* – I translate what you send into your language.
*Transcribe* – I turn your voice notes into text.
*Speak* – I read your text aloud.

You can always write:
• *menu* – where to start
• *mode* – choose what I do
• *set language* – choose your language
• *languages* – see all languages
• *voice on* / *voice off* – get replies as voice notes too
• *speak: …* – hear a text read aloud
• *status* – see your settings
• *start over* – go back to the beginning

Or just send me a voice note.`;

const modeIntroductions: Readonly<Record<Mode, (language: string) => string>> = {
  chat: () => "Ask me anything!",
  translate: (language) =>
    `Send me a text or a voice note, and I will translate it into ${language}. Write *set language* to choose another language, or *mode* to do something else.`,
  transcribe: (language) =>
    `Send me a voice note in ${language}, and I will turn it into text. Write *set language* to choose another language.`,
  speak: (language) =>
    `Send me a text in ${language}, and I will read it aloud. Write *set language* to choose another language, or *mode* to do something else.`,
};

/** The assistant's own words. Replies of models are never mixed into them. */
export const wording = {
  /** @param language ISO 639-3. */
  greeting: (name: string | undefined, language: string): string =>
    `${checkedPhrase("hello", language)}${name ? ` ${name}` : ""}! 👋 I am the Language AI assistant. Ask me something, send a voice note, or write *menu* to see what I can do.`,

  menu: (mode: Mode): string =>
    `*Language AI – menu*

You are in *${modeNames[mode]}* mode. You can write:
• *mode* – chat, translate, transcribe or speak
• *set language* – choose your language
• *voice* – get replies as voice notes too
• *status* – see your settings
• *help* – see everything I understand`,

  help,

  status: ({ mode, voice }: Settings, language: string): string =>
    `*Your settings*
Mode: ${modeNames[mode]}
Language: ${language}
Voice replies: ${onOff(voice)}`,

  languages: (choices: readonly Language[]): string =>
    `You can choose one of these languages:\n${choices.map(({ name }) => `• ${name}`).join("\n")}\n\nWrite *set language* to choose from a list, or name one: *set language Acholi*.`,

  languageSet: (language: string): string =>
    `Your language is ${language} now. I will translate into it, expect it in your voice notes, and speak it.`,

  languageNotOffered: (language: string): string =>
    `Sorry, ${language} is not available yet. Please choose one of these.`,

  modeSet: (mode: Mode, language: string): string =>
    `*${modeNames[mode]}* mode. ${modeIntroductions[mode](language)}`,

  cancelled: "OK, cancelled. You are back in *Chat* mode.",
  startChatting: "Great! Ask me anything, in any language you like.",

  voiceSettings: (isOn: boolean): string =>
    `Voice replies are *${onOff(isOn)}*. When they are on, you also get my replies as voice notes in your language. To hear just one text, write *speak:* and the text.`,
  voiceOn: (language: string): string =>
    `Voice replies are on. You will also hear my replies in ${language}.`,
  voiceOff: "Voice replies are off. I will reply in text only.",
  noVoiceFor: (language: string): string =>
    `I cannot speak ${language} yet. Write *set language* to choose a language that I can speak.`,
  voiceFailed: "Sorry, the voice note did not work this time. Please try again in a moment.",
  whatToSay: "What should I read aloud? Write *speak:* and the text, like this: *speak: Oli otya?*",

  nudge: "Sorry, I did not understand that. Write me a few words, send a voice note, or write *menu*.",
  sendVoiceNote:
    "You are in *Transcribe* mode. Send me a voice note, and I will turn it into text. To chat instead, write *mode chat*.",
  unsupported: "Sorry, I can only read text and listen to voice notes. Please send me one of those.",

  listening: "🎧 I am listening to your voice note …",
  stillListening: "This is taking a little longer than usual. Please wait …",
  voiceNoteGone: "Sorry, I could not get your voice note. It may be too old. Please send it again.",
  voiceNoteOutOfReach:
    "Sorry, I could not get your voice note, because the messaging service is not responding. Please send it again in a few minutes.",
  voiceNoteTooLarge:
    "Sorry, your voice note is too large. I can take up to 16 MB. Please send a shorter one.",
  voiceNoteTooLong: "Sorry, your voice note is longer than 3 hours. Please send it in shorter parts.",
  transcriptLater: (minutes: number): string =>
    `Your voice note is ${minutes} minutes long, so this will take a while. I will send you the transcript when it is ready.`,
  oneLongVoiceNote:
    "I am still working on your other long voice note. Please send this one again when you have that transcript.",
  voiceNoteUnreadable:
    "Sorry, I could not play your recording. It may be damaged, or in a format that I do not know.",
  notTranscribed:
    "Sorry, I could not transcribe your voice note this time. Please try again in a few minutes.",
  noSpeech:
    "Sorry, I could not hear any words in your voice note. Please try again, a little closer to the microphone.",
  transcript: (text: string): string => `📝 ${text}`,
  transcriptAsFile: "📝 Here is your transcript. It is too long for a message, so I am sending it as a file.",

  rateUs: "Thank you for the reaction! How was that reply?",
  thanksForRating: (language: string): string =>
    `${checkedPhrase("thankYou", language)}! Your opinion helps us improve.`,
  thanks: (language: string): string => `${checkedPhrase("thankYou", language)}!`,

  tooMany: {
    minute:
      "You are writing faster than I can reply. I have skipped your last message, and will skip others for the next minute. Please send them again after that.",
    day: `I have replied to ${paceLimits.day.max} of your messages today, which is my limit. Please write to me again tomorrow.`,
  } satisfies Readonly<Record<PaceLimit, string>>,
} as const;

/** Why there is no reply, as far as it helps the person to know. */
export type ApologyReason = "unavailable" | "no-answer" | "broken";

const apologies: Readonly<Record<ApologyReason, string>> = {
  unavailable:
    "Sorry, I cannot reply right now: the language model is busy or still starting. Please try again in two or three minutes.",
  "no-answer": "Sorry, I do not have a good reply to that. Could you say it another way?",
  broken: "Sorry, something went wrong on our side, and I could not reply. Please send your message again.",
};

/** The output that replaces a failed reply. */
export const apology = (reason: ApologyReason): Output => say(apologies[reason]);

import type { Language } from "../../shared/platform/catalogue/languages.ts";
import { checkedPhrase } from "./checked-phrases.ts";
import type { Mode, Settings } from "./conversation.ts";
import { type PaceLimit, paceLimits } from "./pace.ts";
import { type Output, say } from "./plan.ts";

/** What the modes are called. */
export const modeNames: Readonly<Record<Mode, string>> = {
  chat: "Chat",
  translate: "Translate",
  transcribe: "Transcribe",
  speak: "Speak / TTS",
};

const onOff = (isOn: boolean): string => (isOn ? "on" : "off");

const help = `Here is what I can do:

*Chat* – ask me anything.
*Translate* – I put what you send into your language.
*Transcribe* – I write down your voice notes.
*Speak* – I read your text aloud.

Words I understand at any time:
• *menu* – where to start
• *mode* – choose what I do
• *set language* – choose your language
• *languages* – see the choices
• *voice on* / *voice off* – answers as voice notes too
• *speak: …* – read a text aloud
• *status* – your settings
• *start over* – back to the beginning

You can also simply send me a voice note.`;

const modeIntroductions: Readonly<Record<Mode, (language: string) => string>> = {
  chat: () => "We are chatting now. Ask me anything!",
  translate: (language) =>
    `Send me a text or a voice note, and I will translate it into ${language}. To choose another language, write *set language*; to do something else, write *mode*.`,
  transcribe: (language) =>
    `Send me a voice note in ${language}, and I will write it down. To choose another language, write *set language*.`,
  speak: (language) =>
    `Send me a text in ${language}, and I will read it aloud. To choose another language, write *set language*; to do something else, write *mode*.`,
};

/** Everything the assistant says in its own words. Models' answers are never mixed into these. */
export const wording = {
  /** `language`: ISO 639-3. */
  greeting: (name: string | undefined, language: string): string =>
    `${checkedPhrase("hello", language)}${name ? ` ${name}` : ""}! 👋 I am the Language AI assistant. Ask me something, send a voice note, or write *menu* to see what I can do.`,

  menu: (mode: Mode): string =>
    `*Language AI – menu*

We are in *${modeNames[mode]}* mode. You can write:
• *mode* – chat, translate, transcribe or speak
• *set language* – choose your language
• *voice* – answers as voice notes
• *status* – your settings
• *help* – everything I understand`,

  help,

  status: ({ mode, voice }: Settings, language: string): string =>
    `*Your settings*
Mode: ${modeNames[mode]}
Language: ${language}
Voice replies: ${onOff(voice)}`,

  languages: (choices: readonly Language[]): string =>
    `You can choose among these languages:\n${choices.map(({ name }) => `• ${name}`).join("\n")}\n\nWrite *set language* to choose, or name one: *set language Acholi*.`,

  languageSet: (language: string): string =>
    `Your language is ${language} now. I translate into it, listen for it in voice notes and use it when I speak.`,

  languageNotOffered: (language: string): string =>
    `I cannot take ${language} as your language yet. Please choose one of these.`,

  modeSet: (mode: Mode, language: string): string =>
    `*${modeNames[mode]}* mode. ${modeIntroductions[mode](language)}`,

  cancelled: "All right, I stopped. We are back in *Chat* mode.",
  startChatting: "Great! Ask me anything, in whichever language you like.",

  voiceSettings: (isOn: boolean): string =>
    `Voice replies are *${onOff(isOn)}*. When they are on, my answers also come as voice notes in your language. To have a single text read aloud, write *speak:* and the text.`,
  voiceOn: (language: string): string => `Voice replies are on. You will hear my answers in ${language} too.`,
  voiceOff: "Voice replies are off. I will answer in writing only.",
  noVoiceFor: (language: string): string =>
    `I have no voice for ${language} yet. Write *set language* to choose a language that I can speak.`,
  voiceFailed: "I could not make the voice note this time. Please try again in a moment.",
  whatToSay: "What should I read aloud? Write *speak:* and the text, like this: *speak: Oli otya?*",

  nudge: "I did not quite get that. Write me a few words, send a voice note, or write *menu*.",
  sendVoiceNote:
    "We are in *Transcribe* mode: send me a voice note and I will write it down. To chat instead, write *mode chat*.",
  unsupported: "I can only read text and listen to voice notes. Please send me one of those.",

  listening: "🎧 I am listening to your voice note …",
  stillListening: "This is taking a little longer than usual. I am still at it …",
  voiceNoteGone: "I could not get your voice note; it may be too old. Please send it again.",
  voiceNoteOutOfReach:
    "I could not fetch your voice note, because the messaging service is not answering right now. Please send it again in a few minutes.",
  voiceNoteTooLarge:
    "Your voice note is too large for me: 16 MB is the most I can take. Please send a shorter one.",
  voiceNoteTooLong: "Your voice note is longer than 3 hours. Please send it in shorter parts.",
  transcriptLater: (minutes: number): string =>
    `Your voice note is ${minutes} minutes long, so writing it down takes a while. I will send you the transcript when it is ready.`,
  oneLongVoiceNote:
    "I am still writing down your other long voice note. Please send this one again when you have that transcript.",
  voiceNoteUnreadable:
    "I could not read your recording; it seems to be damaged or in a format that I do not know.",
  notTranscribed:
    "I am sorry, I could not write down your voice note this time. Please try again in a few minutes.",
  noSpeech:
    "I could not hear any words in your voice note. Please try again, a little closer to the microphone.",
  transcript: (text: string): string => `📝 ${text}`,
  transcriptAsFile: "📝 Here is your transcript. It is too long for a message, so it comes as a file.",

  rateUs: "Thank you for the reaction! How was that answer?",
  thanksForRating: (language: string): string =>
    `${checkedPhrase("thankYou", language)}! Your opinion helps us to do better.`,
  thanks: (language: string): string => `${checkedPhrase("thankYou", language)}!`,

  tooMany: {
    minute:
      "You are writing faster than I can keep up with. I have to leave your last message unanswered, and any others that you send within the next minute. Please send them again after that.",
    day: `I have answered ${paceLimits.day.max} messages of yours today, and that is as many as I can. Please write to me again tomorrow.`,
  } satisfies Readonly<Record<PaceLimit, string>>,
} as const;

/** Why there is no answer, as far as it helps the person to know. */
export type ApologyReason = "unavailable" | "no-answer" | "broken";

const apologies: Readonly<Record<ApologyReason, string>> = {
  unavailable:
    "I am sorry, I cannot answer right now: the language model is busy or still waking up. Please try again in two or three minutes.",
  "no-answer": "I am sorry, I could not find a good answer to that. Could you put it in other words?",
  broken:
    "I am sorry, something went wrong on our side and I could not answer your message. Please send it again.",
};

/** What is said instead of an answer. */
export const apology = (reason: ApologyReason): Output => say(apologies[reason]);

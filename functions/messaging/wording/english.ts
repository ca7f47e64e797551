import type { Language } from "../../../shared/platform/catalogue/languages.ts";
import { checkedPhrase } from "../checked-phrases.ts";
import type { Mode, Settings } from "../conversation.ts";
import { type PaceLimit, paceLimits } from "../pace.ts";
import { englishMenus } from "./english-menus.ts";

const { modeNames } = englishMenus;

const onOff = (isOn: boolean): string => (isOn ? "on" : "off");

const yesNo = (isYes: boolean): string => (isYes ? "yes" : "no");

/** What is stored about a person, in numbers. */
export interface StoredAboutPerson {
  readonly mode: Mode;
  /** The name of the language. */
  readonly language: string;
  readonly voice: boolean;
  readonly stored: {
    readonly exchanges: number;
    readonly note: boolean;
    readonly ratings: number;
    readonly translations: number;
    readonly records: number;
    readonly recording: boolean;
  };
}

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
• *my data* – see what I store about you
• *forget me* – delete it
• *stop* – hear nothing more from me

Or just send me a voice note. If a translation is wrong, reply “wrong” to it.`;

const modeIntroductions: Readonly<Record<Mode, (language: string) => string>> = {
  chat: () => "Ask me anything!",
  translate: (language) =>
    `Send me a text or a voice note, and I will translate it into ${language}. Write *set language* to choose another language, or *mode* to do something else.`,
  transcribe: (language) =>
    `Send me a voice note in ${language}, and I will turn it into text. Write *set language* to choose another language.`,
  speak: (language) =>
    `Send me a text in ${language}, and I will read it aloud. Write *set language* to choose another language, or *mode* to do something else.`,
};

/** The assistant's own words in English, which all other languages translate. Replies of models are never mixed into them. */
export const english = {
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
  voiceNoteOfKind: (kind: string) =>
    `Sorry, this is ${kind}, which I cannot play. Please convert it to MP3, M4A or WAV and send it again.`,
  notTranscribed:
    "Sorry, I could not transcribe your voice note this time. Please try again in a few minutes.",
  noSpeech:
    "Sorry, I could not hear any words in your voice note. Please try again, a little closer to the microphone.",
  transcript: (text: string): string => `📝 ${text}`,
  understood: (text: string): string =>
    `I understood: “${text}” Is that right? Reply *YES*, or write what you meant.`,
  unsure: "I am not sure that I understood all of this. Please check it.",
  transcriptAsFile: "📝 Here is your transcript. It is too long for a message, so I am sending it as a file.",

  rateUs: "Thank you for the reaction! How was that reply?",
  thanksForRating: (language: string): string =>
    `${checkedPhrase("thankYou", language)}! Your opinion helps us improve.`,
  thanks: (language: string): string => `${checkedPhrase("thankYou", language)}!`,

  /** Two sentences: what is stored and for how long, and how to stop. */
  consent: (privacyNotice: string): string =>
    `I store our messages and your settings until 90 days after you last write to me. Reply *STOP* to stop; our privacy notice is at ${privacyNotice}`,
  stopped: "OK, I have stopped, and will send you nothing more. Reply *START* to hear from me again.",
  started: "Welcome back! I am listening again. Reply *STOP* to stop.",

  myData: ({ mode, language, voice, stored }: StoredAboutPerson): string =>
    `*What I store about you*
• Mode: ${modeNames[mode]}
• Language: ${language}
• Voice replies: ${onOff(voice)}
• Messages that I remember: ${stored.exchanges}
• A note about earlier messages: ${yesNo(stored.note)}
• Ratings and reactions: ${stored.ratings}
• Translations that you let us store: ${stored.translations}
• Records of replies, without their words: ${stored.records}
• Long voice note in work: ${yesNo(stored.recording)}

To delete all of this, write *forget me*.`,
  myDataAsFile: "📄 This file has all of it, word for word.",
  forgetQuestion:
    "This deletes everything that I store about you: our messages, your settings, ratings and voice notes. It cannot be undone. Reply *YES* to delete it.",
  forgotten:
    "I have deleted everything that I stored about you. If you write to me again, we start from the beginning.",

  feedbackQuestion:
    "Sorry about that! May we store this translation for a year, to improve? Reply *YES*, or *YES:* and the right translation.",
  thanksForFeedback: "Thank you! We will learn from it.",
  feedbackGone:
    "Sorry, I no longer remember that translation. Send me the text again, and reply “wrong” to the new one.",

  tooMany: {
    minute:
      "You are writing faster than I can reply. I have skipped your last message, and will skip others for the next minute. Please send them again after that.",
    day: `I have replied to ${paceLimits.day.max} of your messages today, which is my limit. Please write to me again tomorrow.`,
  } satisfies Readonly<Record<PaceLimit, string>>,

  apologies: {
    unavailable:
      "Sorry, I cannot reply right now: the language model is busy or still starting. Please try again in two or three minutes.",
    "no-answer": "Sorry, I do not have a good reply to that. Could you say it another way?",
    "too-long": "Sorry, that is too long for the language model. Could you send a shorter message?",
    broken: "Sorry, something went wrong on our side, and I could not reply. Please send your message again.",
  },

  menus: englishMenus,
};

/** The form of the English words, for translations of them. */
type FormOf<Words> = Words extends string
  ? string
  : Words extends (...values: infer Values) => string
    ? (...values: Values) => string
    : { readonly [Name in keyof Words]: FormOf<Words[Name]> };

/** The assistant's own words in a language. */
export type Wording = FormOf<typeof english>;

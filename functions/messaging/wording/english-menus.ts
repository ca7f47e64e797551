import type { Mode } from "../conversation.ts";

const modeNames: Readonly<Record<Mode, string>> = {
  chat: "Chat",
  translate: "Translate",
  transcribe: "Transcribe",
  speak: "Speak / TTS",
};

const modeDescriptions: Readonly<Record<Mode, string>> = {
  chat: "Talk with me about anything",
  translate: "Texts and voice notes, into your language",
  transcribe: "Your voice notes as text",
  speak: "Your text, read aloud",
};

/** What menus say in English. */
export const englishMenus = {
  modeNames,
  modeDescriptions,
  now: (value: string): string => `Now: ${value}`,
  choices: {
    help: "Get Help",
    setLanguage: "Set Language",
    startChatting: "Start Chatting",
    voiceOn: "Voice on",
    voiceOff: "Voice off",
  },
  ratings: { excellent: "Excellent", good: "Good", fair: "Fair", poor: "Poor" },
  welcome: {
    header: "Welcome to Language AI",
    text: "I can chat, translate, turn voice notes into text and read texts aloud, in English and Ugandan languages. Where would you like to start?",
    footer: "You can always write: menu",
    button: "Get Started",
    help: "See what I can do",
    setLanguage: "Choose your language",
    startChatting: "Ask me something right away",
  },
  language: {
    header: "Your language",
    text: "Which language should I translate into, listen to and speak?",
    button: "Choose language",
  },
  mode: {
    header: "What should I do?",
    text: "Choose what I do with your messages.",
    button: "Choose mode",
  },
  rating: { header: "Your opinion", button: "Rate the reply" },
};

import { defaultSystemMessage } from "./chat.ts";
import type { GivenProfile } from "./profile-schema.ts";

/** The words that the models of the specification were trained with. */
const instructed = {
  system: defaultSystemMessage,
  instruction: "Translate from {source} to {target}: {text}",
  instruction_without_source: "Translate to {target}: {text}",
};

/**
 * The codes of the open 51-language model for African languages, a fine-tuned Whisper large-v3 whose languages reuse Whisper's own
 * tokens. Source: the card of `Sunbird/faster-whisper-51-african-languages`.
 */
const whisper51 = {
  eng: "en",
  fra: "fr",
  swa: "sw",
  sna: "sn",
  yor: "yo",
  som: "so",
  afr: "af",
  amh: "am",
  mlg: "mg",
  lin: "ln",
  hau: "ha",
  ach: "su",
  aka: "jw",
  bam: "ba",
  bem: "haw",
  ber: "tt",
  cgg: "as",
  dag: "tl",
  dga: "bo",
  ewe: "my",
  ful: "lb",
  ibo: "sa",
  kab: "mt",
  kau: "nn",
  kik: "tk",
  kin: "ps",
  kln: "ht",
  koo: "fo",
  kpo: "uz",
  led: "lo",
  lgg: "yi",
  lth: "gu",
  lug: "sd",
  luo: "tg",
  luy: "be",
  myx: "ka",
  nbl: "oc",
  nya: "km",
  nyn: "si",
  orm: "pa",
  pcm: "mr",
  ruc: "gl",
  rwm: "sq",
  sot: "kk",
  teo: "bs",
  tsn: "mn",
  ttj: "ne",
  wol: "hy",
  xho: "is",
  xog: "eu",
  zul: "br",
};

/** The profiles that every stage has, by name. */
export const builtInProfiles = {
  /** How the service named languages up to version 2.8.0. */
  "iso639-3": { transcription: { language_codes: "iso639-3" } },
  /** How the service requested translations up to version 2.8.0. */
  instructed: { translation: instructed },
  "whisper-51": { transcription: { language_codes: whisper51 } },
  libretranslate: { translation: { dialect: "libretranslate" } },
  /** What the sample models expect. They respond with a note in English to what they do not know, which is no translation. */
  sample: {
    chat: {},
    translation: { ...instructed, judged: false },
    transcription: { language_codes: "iso639-3", diarizes: false },
    speech: {},
  },
  /** Models whose replies start inside a thought and mark only its end (`</think>`). */
  "thinks-first": { chat: { thinks_first: true }, translation: { thinks_first: true } },
} as const satisfies Readonly<Record<string, GivenProfile>>;

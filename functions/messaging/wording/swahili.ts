import type { Mode } from "../conversation.ts";
import { paceLimits } from "../pace.ts";
import type { Wording } from "./english.ts";
import { swahiliMenus } from "./swahili-menus.ts";

const { modeNames } = swahiliMenus;

const onOff = (isOn: boolean): string => (isOn ? "yamewashwa" : "yamezimwa");

const yesNo = (isYes: boolean): string => (isYes ? "ndiyo" : "hapana");

const help = `Haya ndiyo ninayoweza kufanya:

*Soga* – niulize chochote.
*Tafsiri* – nitatafsiri unachotuma katika lugha yako.
*Andika* – nitageuza ujumbe wako wa sauti kuwa maandishi.
*Soma* – nitasoma maandishi yako kwa sauti.

Unaweza kuandika wakati wowote:
• *menu* – pa kuanzia
• *mode* – chagua ninachofanya
• *set language* – chagua lugha yako
• *languages* – ona lugha zote
• *voice on* / *voice off* – pata majibu kwa sauti pia
• *speak: …* – sikia maandishi yakisomwa
• *status* – ona mipangilio yako
• *start over* – rudi mwanzo
• *my data* – ona ninachohifadhi kukuhusu
• *forget me* – kifute
• *stop* – usipate chochote tena kutoka kwangu

Au nitumie tu ujumbe wa sauti. Kama tafsiri si sahihi, ijibu “wrong”.`;

const modeIntroductions: Readonly<Record<Mode, (language: string) => string>> = {
  chat: () => "Niulize chochote!",
  translate: (language) =>
    `Nitumie maandishi au ujumbe wa sauti, nami nitatafsiri katika ${language}. Andika *set language* kuchagua lugha nyingine, au *mode* kufanya jambo lingine.`,
  transcribe: (language) =>
    `Nitumie ujumbe wa sauti katika ${language}, nami nitaugeuza kuwa maandishi. Andika *set language* kuchagua lugha nyingine.`,
  speak: (language) =>
    `Nitumie maandishi katika ${language}, nami nitayasoma kwa sauti. Andika *set language* kuchagua lugha nyingine, au *mode* kufanya jambo lingine.`,
};

/** The assistant's own words in Swahili. UNREVIEWED: a draft that no speaker has read yet; see the README. */
export const swahili: Wording = {
  greeting: (name) =>
    `Habari${name ? ` ${name}` : ""}! 👋 Mimi ni msaidizi wa Language AI. Niulize jambo, tuma ujumbe wa sauti, au andika *menu* uone ninachoweza kufanya.`,

  menu: (mode) =>
    `*Language AI – menu*

Uko katika *${modeNames[mode]}*. Unaweza kuandika:
• *mode* – soga, tafsiri, andika au soma
• *set language* – chagua lugha yako
• *voice* – pata majibu kwa sauti pia
• *status* – ona mipangilio yako
• *help* – ona yote ninayoelewa`,

  help,

  status: ({ mode, voice }, language) =>
    `*Mipangilio yako*
Ninachofanya: ${modeNames[mode]}
Lugha: ${language}
Majibu kwa sauti: ${onOff(voice)}`,

  languages: (choices) =>
    `Unaweza kuchagua moja ya lugha hizi:\n${choices.map(({ name }) => `• ${name}`).join("\n")}\n\nAndika *set language* kuchagua kwenye orodha, au itaje: *set language Acholi*.`,

  languageSet: (language) =>
    `Lugha yako sasa ni ${language}. Nitatafsiri katika lugha hiyo, nitaitarajia katika ujumbe wako wa sauti, na nitaizungumza.`,

  languageNotOffered: (language) => `Samahani, ${language} bado haipatikani. Tafadhali chagua moja ya hizi.`,

  modeSet: (mode, language) => `*${modeNames[mode]}*. ${modeIntroductions[mode](language)}`,

  cancelled: "Sawa, nimeghairi. Umerudi katika *Soga*.",
  startChatting: "Vizuri! Niulize chochote, kwa lugha yoyote unayopenda.",

  voiceSettings: (isOn) =>
    `Majibu kwa sauti *${onOff(isOn)}*. Yakiwashwa, unapata majibu yangu pia kwa sauti katika lugha yako. Kusikia maandishi mamoja tu, andika *speak:* na maandishi.`,
  voiceOn: (language) => `Majibu kwa sauti yamewashwa. Utasikia majibu yangu pia katika ${language}.`,
  voiceOff: "Majibu kwa sauti yamezimwa. Nitajibu kwa maandishi tu.",
  noVoiceFor: (language) =>
    `Bado siwezi kuzungumza ${language}. Andika *set language* kuchagua lugha ninayoweza kuzungumza.`,
  voiceFailed: "Samahani, sauti haikufanikiwa mara hii. Tafadhali jaribu tena baada ya muda mfupi.",
  whatToSay: "Nisome nini kwa sauti? Andika *speak:* na maandishi, hivi: *speak: Oli otya?*",

  nudge: "Samahani, sikuelewa. Niandikie maneno machache, tuma ujumbe wa sauti, au andika *menu*.",
  sendVoiceNote:
    "Uko katika *Andika*. Nitumie ujumbe wa sauti, nami nitaugeuza kuwa maandishi. Ili kupiga soga, andika *mode chat*.",
  unsupported:
    "Samahani, ninaweza tu kusoma maandishi na kusikiliza ujumbe wa sauti. Tafadhali nitumie mojawapo.",

  listening: "🎧 Ninasikiliza ujumbe wako wa sauti …",
  stillListening: "Hii inachukua muda kidogo kuliko kawaida. Tafadhali subiri …",
  voiceNoteGone:
    "Samahani, sikuweza kupata ujumbe wako wa sauti. Huenda ni wa zamani sana. Tafadhali utume tena.",
  voiceNoteOutOfReach:
    "Samahani, sikuweza kupata ujumbe wako wa sauti kwa sababu huduma ya ujumbe haijibu. Tafadhali utume tena baada ya dakika chache.",
  voiceNoteTooLarge:
    "Samahani, ujumbe wako wa sauti ni mkubwa mno. Ninaweza kupokea hadi MB 16. Tafadhali tuma mfupi zaidi.",
  voiceNoteTooLong: "Samahani, ujumbe wako wa sauti unazidi saa 3. Tafadhali utume kwa sehemu fupi zaidi.",
  transcriptLater: (minutes) =>
    `Ujumbe wako wa sauti una dakika ${minutes}, kwa hivyo itachukua muda. Nitakutumia maandishi yakiwa tayari.`,
  oneLongVoiceNote:
    "Bado ninashughulikia ujumbe wako mwingine mrefu wa sauti. Tafadhali tuma huu tena utakapopata maandishi ya ule.",
  voiceNoteUnreadable:
    "Samahani, sikuweza kucheza rekodi yako. Huenda imeharibika, au iko katika muundo nisioujua.",
  voiceNoteOfKind: (kind) =>
    `Samahani, faili hii (${kind}) siwezi kuicheza. Tafadhali ibadilishe kuwa MP3, M4A au WAV, kisha uitume tena.`,
  notTranscribed:
    "Samahani, sikuweza kuandika ujumbe wako wa sauti mara hii. Tafadhali jaribu tena baada ya dakika chache.",
  noSpeech:
    "Samahani, sikusikia maneno yoyote katika ujumbe wako wa sauti. Tafadhali jaribu tena karibu zaidi na maikrofoni.",
  transcript: (text) => `📝 ${text}`,
  understood: (text) => `Nimeelewa: “${text}” Je, ni sahihi? Jibu *YES*, au andika ulichomaanisha.`,
  unsure: "Sina uhakika kwamba nimeelewa yote haya. Tafadhali yakague.",
  transcriptAsFile: "📝 Haya hapa maandishi yako. Ni marefu mno kwa ujumbe, kwa hivyo ninayatuma kama faili.",

  rateUs: "Asante kwa maoni! Jibu hilo lilikuwaje?",
  thanksForRating: () => "Asante! Maoni yako yanatusaidia kuboresha.",
  thanks: () => "Asante!",

  consent: (privacyNotice) =>
    `Ninahifadhi ujumbe wetu na mipangilio yako hadi siku 90 baada ya wewe kuniandikia mara ya mwisho. Jibu *STOP* ili kukomesha; ilani yetu ya faragha iko ${privacyNotice}`,
  stopped: "Sawa, nimekoma, na sitakutumia chochote tena. Jibu *START* ili kuwasiliana nami tena.",
  started: "Karibu tena! Ninakusikiliza tena. Jibu *STOP* ili kukomesha.",

  myData: ({ mode, language, voice, stored }) =>
    `*Ninachohifadhi kukuhusu*
• Ninachofanya: ${modeNames[mode]}
• Lugha: ${language}
• Majibu kwa sauti: ${onOff(voice)}
• Ujumbe ninaoukumbuka: ${stored.exchanges}
• Muhtasari wa ujumbe wa awali: ${yesNo(stored.note)}
• Maoni yako kuhusu majibu: ${stored.ratings}
• Tafsiri ulizoturuhusu kuhifadhi: ${stored.translations}
• Kumbukumbu za majibu, bila maneno yake: ${stored.records}
• Ujumbe mrefu wa sauti unaoshughulikiwa: ${yesNo(stored.recording)}

Ili kufuta yote haya, andika *forget me*.`,
  myDataAsFile: "📄 Faili hii ina yote, neno kwa neno.",
  forgetQuestion:
    "Hii inafuta yote ninayohifadhi kukuhusu: ujumbe wetu, mipangilio yako, maoni yako na ujumbe wako wa sauti. Haiwezi kutenduliwa. Jibu *YES* ili kufuta.",
  forgotten: "Nimefuta yote niliyohifadhi kukuhusu. Ukiniandikia tena, tutaanza upya.",

  feedbackQuestion:
    "Samahani! Je, tunaweza kuhifadhi tafsiri hii kwa mwaka mmoja ili kuboresha? Jibu *YES*, au *YES:* na tafsiri sahihi.",
  thanksForFeedback: "Asante! Tutajifunza kutokana nayo.",
  feedbackGone:
    "Samahani, sikumbuki tena tafsiri hiyo. Nitumie maandishi tena, kisha ujibu tafsiri mpya “wrong”.",

  tooMany: {
    minute:
      "Unaandika haraka kuliko ninavyoweza kujibu. Nimeruka ujumbe wako wa mwisho, na nitaruka mingine kwa dakika moja. Tafadhali itume tena baadaye.",
    day: `Leo nimejibu ujumbe wako ${paceLimits.day.max}, na huo ndio mwisho wangu. Tafadhali niandikie tena kesho.`,
  },

  apologies: {
    unavailable:
      "Samahani, siwezi kujibu sasa: mfumo wa lugha una kazi nyingi au bado unaanza. Tafadhali jaribu tena baada ya dakika mbili au tatu.",
    "no-answer": "Samahani, sina jibu zuri kwa hilo. Unaweza kulisema kwa njia nyingine?",
    "too-long": "Samahani, hiyo ni ndefu mno kwa mfumo wa lugha. Unaweza kutuma ujumbe mfupi zaidi?",
    broken: "Samahani, kuna hitilafu upande wetu, na sikuweza kujibu. Tafadhali tuma ujumbe wako tena.",
  },

  menus: swahiliMenus,
};

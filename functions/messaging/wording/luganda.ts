import { checkedPhrase } from "../checked-phrases.ts";
import type { Mode } from "../conversation.ts";
import { paceLimits } from "../pace.ts";
import type { Wording } from "./english.ts";
import { lugandaMenus } from "./luganda-menus.ts";

const { modeNames } = lugandaMenus;

const onOff = (isOn: boolean): string => (isOn ? "biggulo" : "biggaddwa");

const yesNo = (isYes: boolean): string => (isYes ? "ye" : "nedda");

const help = `Bino bye nsobola okukola:

*Mboozi* – mbuuza ekintu kyonna.
*Vvuunula* – mvvuunula by’oweereza mu lulimi lwo.
*Wandiika* – nfuula amaloboozi go ebiwandiiko.
*Soma* – nsoma ebiwandiiko byo mu ddoboozi.

Osobola okuwandiika bulijjo:
• *menu* – we tutandikira
• *mode* – londa kye mba nkola
• *set language* – londa olulimi lwo
• *languages* – laba ennimi zonna
• *voice on* / *voice off* – funa eby’okuddamu ne mu ddoboozi
• *speak: …* – wulira ekiwandiiko nga kisomebwa
• *status* – laba entegeka zo
• *start over* – ddayo ku ntandikwa
• *my data* – laba bye ntereka ebikukwatako
• *forget me* – bisangule
• *stop* – sijja kuddamu kukuweereza kintu kyonna

Oba mpeereza bubaka bwa ddoboozi. Okuvvuunula bwe kuba nga kukyamu, kuddemu nti “wrong”.`;

const modeIntroductions: Readonly<Record<Mode, (language: string) => string>> = {
  chat: () => "Mbuuza ekintu kyonna!",
  translate: (language) =>
    `Mpeereza ekiwandiiko oba eddoboozi, nkivvuunule mu ${language}. Wandiika *set language* okulonda olulimi olulala, oba *mode* okukola ekirala.`,
  transcribe: (language) =>
    `Mpeereza eddoboozi mu ${language}, ndifuule ekiwandiiko. Wandiika *set language* okulonda olulimi olulala.`,
  speak: (language) =>
    `Mpeereza ekiwandiiko mu ${language}, nkisome mu ddoboozi. Wandiika *set language* okulonda olulimi olulala, oba *mode* okukola ekirala.`,
};

/** The assistant's own words in Luganda. UNREVIEWED: a draft that no speaker has read yet; see the README. */
export const luganda: Wording = {
  greeting: (name) =>
    `${checkedPhrase("hello", "lug")}${name ? ` ${name}` : ""}! 👋 Nze muyambi wa Language AI. Mbuuza ekintu, mpeereza eddoboozi, oba wandiika *menu* olabe bye nsobola okukola.`,

  menu: (mode) =>
    `*Language AI – menu*

Oli mu *${modeNames[mode]}*. Osobola okuwandiika:
• *mode* – mboozi, okuvvuunula, okuwandiika oba okusoma
• *set language* – londa olulimi lwo
• *voice* – funa eby’okuddamu ne mu ddoboozi
• *status* – laba entegeka zo
• *help* – laba byonna bye ntegeera`,

  help,

  status: ({ mode, voice }, language) =>
    `*Entegeka zo*
Kye nkola: ${modeNames[mode]}
Olulimi: ${language}
Eby’okuddamu mu ddoboozi: ${onOff(voice)}`,

  languages: (choices) =>
    `Osobola okulonda olumu ku nnimi zino:\n${choices.map(({ name }) => `• ${name}`).join("\n")}\n\nWandiika *set language* olonde ku lukalala, oba lutuume erinnya: *set language Acholi*.`,

  languageSet: (language) =>
    `Olulimi lwo kati luli ${language}. Nja kuvvuunula mu lwo, nduwulire mu maloboozi go, era nduyogere.`,

  languageNotOffered: (language) => `Nsonyiwa, ${language} terunnabaawo. Londa olumu ku zino.`,

  modeSet: (mode, language) => `*${modeNames[mode]}*. ${modeIntroductions[mode](language)}`,

  cancelled: "Kale, nkisazizzaamu. Oddizze mu *Mboozi*.",
  startChatting: "Kirungi! Mbuuza ekintu kyonna, mu lulimi lwonna lw’oyagala.",

  voiceSettings: (isOn) =>
    `Eby’okuddamu mu ddoboozi *${onOff(isOn)}*. Bwe biba biggulo, ofuna bye nziramu ne mu ddoboozi mu lulimi lwo. Okuwulira ekiwandiiko kimu kyokka, wandiika *speak:* n’ekiwandiiko.`,
  voiceOn: (language) => `Eby’okuddamu mu ddoboozi biggulo. Ojja kuwulira bye nziramu ne mu ${language}.`,
  voiceOff: "Eby’okuddamu mu ddoboozi biggaddwa. Nja kuddamu mu biwandiiko byokka.",
  noVoiceFor: (language) =>
    `Sinnasobola kwogera ${language}. Wandiika *set language* olonde olulimi lwe nsobola okwogera.`,
  voiceFailed: "Nsonyiwa, eddoboozi terivuddeyo ku mulundi guno. Ddamu ogezeeko mu kaseera katono.",
  whatToSay: "Nsome ki? Wandiika *speak:* n’ekiwandiiko, bw’oti: *speak: Oli otya?*",

  nudge: "Nsonyiwa, ekyo sikitegedde. Mpandiikira ebigambo bitono, mpeereza eddoboozi, oba wandiika *menu*.",
  sendVoiceNote:
    "Oli mu *Wandiika*. Mpeereza eddoboozi, ndifuule ekiwandiiko. Okunyumya mu kifo ky’ekyo, wandiika *mode chat*.",
  unsupported: "Nsonyiwa, nsobola kusoma biwandiiko na kuwuliriza maloboozi byokka. Mpeereza kimu ku ebyo.",

  listening: "🎧 Mpuliriza eddoboozi lyo …",
  stillListening: "Kino kitwala akaseera okusinga bulijjo. Lindako …",
  voiceNoteGone: "Nsonyiwa, eddoboozi lyo terifunise. Liyinza okuba nga kkadde. Ddamu oliweereze.",
  voiceNoteOutOfReach:
    "Nsonyiwa, eddoboozi lyo terifunise kubanga empeereza y’obubaka teddamu. Ddamu oliweereze mu ddakiika ntono.",
  voiceNoteTooLarge:
    "Nsonyiwa, eddoboozi lyo ddene nnyo. Nsobola okutwala okutuuka ku MB 16. Weereza erisingako obutono.",
  voiceNoteTooLong: "Nsonyiwa, eddoboozi lyo lisukka essaawa 3. Liweereze mu bitundu ebimpimpi.",
  transcriptLater: (minutes) =>
    `Eddoboozi lyo lya ddakiika ${minutes}, kale kino kijja kutwala akaseera. Nja kukuweereza ekiwandiiko nga kiwedde.`,
  oneLongVoiceNote:
    "Nkyakola ku ddoboozi lyo eddala eddene. Ddamu oweereze lino ng’ofunye ekiwandiiko ky’eryo.",
  voiceNoteUnreadable:
    "Nsonyiwa, sisobodde kuzannya ddoboozi lyo. Liyinza okuba nga lyonoonese, oba nga liri mu ngeri gye simanyi.",
  voiceNoteOfKind: (kind) =>
    `Nsonyiwa, eno fayiro (${kind}) sisobola kugizannya. Gifuule MP3, M4A oba WAV, ogiweereze nate.`,
  notTranscribed:
    "Nsonyiwa, sisobodde kuwandiika ddoboozi lyo ku mulundi guno. Ddamu ogezeeko mu ddakiika ntono.",
  noSpeech:
    "Nsonyiwa, siwulidde bigambo mu ddoboozi lyo. Ddamu ogezeeko ng’osembedde ku muzindaalo gw’essimu.",
  transcript: (text) => `📝 ${text}`,
  understood: (text) => `Mpulidde nti: “${text}” Kituufu? Ddamu *YES*, oba wandiika ky’otegeezezza.`,
  unsure: "Sikakasa nti byonna mbitegedde bulungi. Nsaba okebere.",
  transcriptAsFile: "📝 Ekiwandiiko kyo kyekino. Kiwanvu nnyo okuba obubaka, kale nkiweereza nga fayiro.",

  rateUs: "Webale okulaga ky’olowooza! Okuddamu okwo kubadde kutya?",
  thanksForRating: () => `${checkedPhrase("thankYou", "lug")}! Ky’olowooza kituyamba okulongoosa.`,
  thanks: () => `${checkedPhrase("thankYou", "lug")}!`,

  consent: (privacyNotice) =>
    `Ntereka obubaka bwaffe n’entegeka zo okutuusa ennaku 90 nga ziyiseewo okuva lw’osembyeyo okumpandiikira. Ddamu *STOP* okuyimiriza; ebikwata ku by’ekyama biri ku ${privacyNotice}`,
  stopped: "Kale, nkomye, era sijja kukuweereza kintu kirala. Ddamu *START* nziremu okukuwuliriza.",
  started: "Kulika okudda! Nziremu okukuwuliriza. Ddamu *STOP* okuyimiriza.",

  myData: ({ mode, language, voice, stored }) =>
    `*Bye ntereka ebikukwatako*
• Kye nkola: ${modeNames[mode]}
• Olulimi: ${language}
• Eby’okuddamu mu ddoboozi: ${onOff(voice)}
• Obubaka bwe njijukira: ${stored.exchanges}
• Ebiwandiikiddwa ku bubaka obw’edda: ${yesNo(stored.note)}
• Endowooza zo ku by’okuddamu: ${stored.ratings}
• Okuvvuunula kwe watukkiriza okutereka: ${stored.translations}
• Ebiraga nti nziremu, awatali bigambo: ${stored.records}
• Eddoboozi eddene lye nkolako: ${yesNo(stored.recording)}

Okusangula bino byonna, wandiika *forget me*.`,
  myDataAsFile: "📄 Fayiro eno erimu byonna, ekigambo ku kigambo.",
  forgetQuestion:
    "Kino kisangula byonna bye ntereka ebikukwatako: obubaka bwaffe, entegeka zo, endowooza zo n’amaloboozi go. Tekisobola kuzzibwawo. Ddamu *YES* okubisangula.",
  forgotten:
    "Nsangudde byonna bye mbadde ntereka ebikukwatako. Bw’ompandiikira nate, tujja kutandikira ku ntandikwa.",

  feedbackQuestion:
    "Nsonyiwa ku ekyo! Tusobola okutereka okuvvuunula kuno okumala omwaka, tusobole okulongoosa? Ddamu *YES*, oba *YES:* n’okuvvuunula okutuufu.",
  thanksForFeedback: "Webale! Tujja kukiyigirako.",
  feedbackGone:
    "Nsonyiwa, okuvvuunula okwo sikyakujjukira. Ddamu ompeereze ekiwandiiko, oddemu “wrong” ku kuvvuunula okupya.",

  tooMany: {
    minute:
      "Owandiika mangu okusinga bwe nsobola okuddamu. Obubaka bwo obusembyeyo mbubuuse, era n’obulala nja kububuuka okumala eddakiika emu. Oluvannyuma ddamu obuweereze.",
    day: `Leero nzizeemu obubaka bwo ${paceLimits.day.max}, era awo we nkoma. Mpandiikira enkya.`,
  },

  apologies: {
    unavailable:
      "Nsonyiwa, sisobola kuddamu kati: omulimu mungi oba omutimbagano gukyatandika. Ddamu ogezeeko mu ddakiika bbiri oba ssatu.",
    "no-answer": "Nsonyiwa, sirina kya kuddamu kirungi ku ekyo. Osobola okukyogera mu ngeri endala?",
    "too-long": "Nsonyiwa, obubaka obwo buwanvu nnyo. Osobola okuweereza obumpi?",
    broken: "Nsonyiwa, wabaddewo ekisobye ku ludda lwaffe, ne sisobola kuddamu. Ddamu oweereze obubaka bwo.",
  },

  menus: lugandaMenus,
};

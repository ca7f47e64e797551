import type { Wording } from "./english.ts";

/** What menus say in Swahili. UNREVIEWED: a draft that no speaker has read yet. */
export const swahiliMenus: Wording["menus"] = {
  modeNames: { chat: "Soga", translate: "Tafsiri", transcribe: "Andika", speak: "Soma" },
  modeDescriptions: {
    chat: "Zungumza nami kuhusu chochote",
    translate: "Maandishi na sauti, katika lugha yako",
    transcribe: "Ujumbe wako wa sauti kama maandishi",
    speak: "Maandishi yako, yakisomwa kwa sauti",
  },
  now: (value) => `Sasa: ${value}`,
  choices: {
    help: "Pata msaada",
    setLanguage: "Chagua lugha",
    startChatting: "Anza kuzungumza",
    voiceOn: "Washa sauti",
    voiceOff: "Zima sauti",
  },
  ratings: { excellent: "Bora sana", good: "Nzuri", fair: "Wastani", poor: "Mbaya" },
  welcome: {
    header: "Karibu Language AI",
    text: "Ninaweza kuzungumza, kutafsiri, kugeuza ujumbe wa sauti kuwa maandishi na kusoma maandishi kwa sauti, kwa Kiswahili, Kiingereza na lugha za Uganda. Ungependa kuanzia wapi?",
    footer: "Unaweza kuandika wakati wowote: menu",
    button: "Anza",
    help: "Ona ninachoweza kufanya",
    setLanguage: "Chagua lugha yako",
    startChatting: "Niulize jambo sasa hivi",
  },
  language: {
    header: "Lugha yako",
    text: "Nitafsiri, nisikilize na nizungumze katika lugha gani?",
    button: "Chagua lugha",
  },
  mode: {
    header: "Nifanye nini?",
    text: "Chagua ninachofanya na ujumbe wako.",
    button: "Chagua la kufanya",
  },
  rating: { header: "Maoni yako", button: "Toa maoni" },
};

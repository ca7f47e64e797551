import type { Wording } from "./english.ts";

/** What menus say in Luganda. UNREVIEWED: a draft that no speaker has read yet. */
export const lugandaMenus: Wording["menus"] = {
  modeNames: { chat: "Mboozi", translate: "Vvuunula", transcribe: "Wandiika", speak: "Soma" },
  modeDescriptions: {
    chat: "Nyumya nange ku kintu kyonna",
    translate: "Ebiwandiiko n’amaloboozi, mu lulimi lwo",
    transcribe: "Amaloboozi go ng’ebiwandiiko",
    speak: "Ekiwandiiko kyo, nga kisomebwa",
  },
  now: (value) => `Kati: ${value}`,
  choices: {
    help: "Funa obuyambi",
    setLanguage: "Londa olulimi",
    startChatting: "Tandika okunyumya",
    voiceOn: "Ggulawo eddoboozi",
    voiceOff: "Ggalawo eddoboozi",
  },
  ratings: { excellent: "Kirungi nnyo", good: "Kirungi", fair: "Kisaamusaamu", poor: "Kibi" },
  welcome: {
    header: "Tukwanirizza!",
    text: "Nsobola okunyumya, okuvvuunula, okufuula amaloboozi ebiwandiiko n’okusoma ebiwandiiko mu ddoboozi, mu Luganda, mu Lungereza ne mu nnimi endala eza Uganda. Oyagala tutandikire wa?",
    footer: "Osobola okuwandiika bulijjo: menu",
    button: "Tandika",
    help: "Laba bye nsobola okukola",
    setLanguage: "Londa olulimi lwo",
    startChatting: "Mbuuza ekintu kati",
  },
  language: {
    header: "Olulimi lwo",
    text: "Nvvuunule, mpulirize era njogere mu lulimi ki?",
    button: "Londa olulimi",
  },
  mode: { header: "Nkole ki?", text: "Londa kye nkola n’obubaka bwo.", button: "Londa kye nkola" },
  rating: { header: "Ky’olowooza", button: "Wa endowooza yo" },
};

import type { VoiceCatalogue } from "../src/speech/voices.ts";

const counts: Readonly<Record<string, number>> = {
  ach: 5,
  afr: 1,
  eng: 3,
  ewe: 1,
  ful: 3,
  hau: 4,
  ibo: 3,
  kik: 2,
  kin: 1,
  lgg: 0,
  lin: 1,
  lug: 8,
  luo: 4,
  nyn: 5,
  swa: 2,
  teo: 1,
  xho: 1,
  yor: 3,
};

/** 48 voices in 17 languages: `sample_lug_1` and so on. One language has none. */
export const catalogue: VoiceCatalogue = Object.entries(counts).map(([code, count]) => ({
  code,
  voices: Array.from({ length: count }, (_, index) => `sample_${code}_${index + 1}`),
}));

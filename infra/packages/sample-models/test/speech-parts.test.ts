import { describe, expect, it } from "vitest";
import { foldSpelling, splitText } from "../src/speech/readable-text.ts";
import { resample } from "../src/speech/samples.ts";
import { speak } from "../src/speech/speak.ts";
import type { Utterance } from "../src/speech/synthesiser.ts";
import { baseVoiceOf, castVoices } from "../src/speech/voices.ts";
import { catalogue } from "./voices.ts";

describe("A text prepared for reading aloud", () => {
  it.each([
    ["tones and dots of Yoruba", "Ẹ káàárọ̀, ọmọ mi", "E kaaaro, omo mi"],
    ["dots of Igbo", "Ị mere aṅaa? Ụtụtụ ọma", "I mere anaa? Ututu oma"],
    ["letters of Ewe", "Ŋdi. Ɖevi ƒe ʋu, ɣetrɔ, Ɣe, kpɛ", "Ndi. Devi fe vu, ghetro, Ghe, kpe"],
    ["hooked letters of Hausa", "ɓauna, ɗaki, ƙasa, ƴanci, Ɗan", "bauna, daki, kasa, yanci, Dan"],
    ["letters with a mark too many for one code point", "ɔ̀kpɔ̃́", "okpo"],
    ["curly apostrophes", "bw’omu ‘waggulu’ mbaʼe", "bw'omu 'waggulu' mba'e"],
    ["ng' at the start of a word", "Ng’ombe ng'enda eng'ombe", "Ngombe ngenda eng'ombe"],
  ])("keeps what the Swahili voice can read of the %s", (_title, text, folded) => {
    expect(foldSpelling(text, "sw")).toBe(folded);
  });

  it("keeps the marks of Afrikaans, which its own voice knows", () => {
    expect(foldSpelling("môre, sê, dié", "af")).toBe("môre, sê, dié");
  });

  it("rewrites ng' for the Swahili voice only", () => {
    expect(foldSpelling("ng'ombe", "en")).toBe("ng'ombe");
  });

  it.each([
    ["tags", '<break time="3600s"/>', ' break time="3600s"/ '],
    ["entities", "&lt;break&gt;", " lt;break gt;"],
    ["phonemes in brackets", "[[h@'loU]]", "  h@'loU  "],
    ["control characters", "a\u0000b\u001bc\td\r\ne", "a b c d \ne"],
    ["emoji", "a 🙂 👩‍👩‍👧 🙏🏽 🇺🇬 ❤️ z", "a   " + "    " + "    " + "   " + " z"],
  ])("has no %s left", (_title, text, folded) => {
    expect(foldSpelling(text, "en").replace(/ +/gu, " ")).toBe(folded.replace(/ +/gu, " "));
  });

  it("is not parted at soft hyphens and joiners", () => {
    expect(foldSpelling("ama\u00adbaga nnya\u200dbo", "sw")).toBe("amabaga nnyabo");
  });

  it.each(["é".repeat(10_000), "ng'".repeat(3_334), "<".repeat(10_000), "👩‍".repeat(3_334)])(
    "is in short pieces, however odd it is",
    { timeout: 10_000 },
    (text) => {
      const lengths = splitText(foldSpelling(text, "sw")).map((piece) => piece.text.length);
      expect(lengths.filter((length) => length > 240)).toEqual([]);
    },
  );
});

describe("A text that is split to be spoken piece by piece", () => {
  it("is split at the ends of sentences, and pieces without a word are left out", () => {
    expect(splitText("Oli otya? – Bulungi!\n\n* * *\n1. Emu")).toEqual([
      { text: "Oli otya?", endsSentence: true },
      { text: "Bulungi!", endsSentence: true },
      { text: "1.", endsSentence: true },
      { text: "Emu", endsSentence: true },
    ]);
  });

  it("is split between words where a sentence is too long, and anywhere in a word that is", () => {
    const words = splitText(`${"maama ".repeat(100)}yange.`);
    expect(words.map(({ endsSentence }) => endsSentence)).toEqual([false, false, true]);
    expect(words.map(({ text }) => text).join("")).toBe(`${"maama ".repeat(100)}yange.`);
    for (const { text } of words) expect(text).toMatch(/(?:maama |yange\.)$/u);
    expect(splitText("a".repeat(500)).map(({ text }) => text.length)).toEqual([240, 240, 20]);
  });

  it("has no piece when there is nothing to say", () => {
    expect(splitText(" … — ?! ")).toEqual([]);
  });
});

describe("The voices of the sample server", () => {
  const byTag = castVoices(catalogue);
  const voices = [...byTag.values()];

  it("are 48 in 17 languages, each with settings of its own", () => {
    expect(voices).toHaveLength(48);
    expect(new Set(voices.map(({ tag }) => tag.split("_")[1])).size).toBe(17);
    expect(new Set(voices.map(({ tag, ...settings }) => JSON.stringify(settings))).size).toBe(48);
  });

  it("have speakers of their own within a language, a woman and a man by turns", () => {
    const speakers = voices.filter(({ tag }) => tag.includes("_lug_")).map(({ variant }) => variant);
    expect(new Set(speakers).size).toBe(8);
    expect(speakers.map((speaker) => speaker.charAt(0)).join("")).toBe("fmfmfmfm");
  });

  it("are found by their tags only", () => {
    expect(byTag.get("sample_yor_1")).toMatchObject({ tag: "sample_yor_1", base: "sw" });
    expect(byTag.get("sample_afr_1")?.base).toBe("af");
    expect(byTag.get("sample_eng_1")?.base).toBe("en");
    for (const tag of ["alloy", "", "constructor", "SAMPLE_LUG_1"]) expect(byTag.get(tag)).toBeUndefined();
  });

  it.each([
    ["eng", "en"],
    [" English ", "en"],
    ["afr", "af"],
    ["Sotho", "tn"],
    ["tsn", "tn"],
    ["swa", "sw"],
    ["lug", "sw"],
    ["constructor", "sw"],
  ])("read %j with the rules of %j", (language, base) => {
    expect(baseVoiceOf(language)).toBe(base);
  });
});

describe("Speaking", () => {
  const voice = { tag: "t", base: "sw", variant: "f1", pitch: 45, wordsPerMinute: 150 } as const;

  const all = async (speech: AsyncIterable<Int16Array>): Promise<Int16Array[]> => {
    const runs: Int16Array[] = [];
    for await (const run of speech) runs.push(run);
    return runs;
  };

  /** Speaks with a synthesiser that takes this many seconds for every piece. */
  const speakWith = (text: string, secondsAPiece: number) => {
    const utterances: Utterance[] = [];
    const speech = speak(text, voice, "sw", async (utterance) => {
      utterances.push(utterance);
      return new Int16Array(Math.min(secondsAPiece, utterance.maxSeconds) * 24_000).fill(1);
    });
    return { utterances, speech };
  };

  it("passes the synthesiser one sentence after the other, and pauses after each", async () => {
    const { speech, utterances } = speakWith("Emu. Bbiri.", 1);
    const runs = await all(speech);
    expect(utterances.map(({ maxSeconds, ...rest }) => rest)).toEqual([
      { text: "Emu.", voiceName: "sw+f1", pitch: 45, wordsPerMinute: 150 },
      { text: "Bbiri.", voiceName: "sw+f1", pitch: 45, wordsPerMinute: 150 },
    ]);
    expect(runs.map((run) => [run.length, run[0]])).toEqual([
      [24_000, 1],
      [8_400, 0],
      [24_000, 1],
      [8_400, 0],
    ]);
  });

  it("requests the next sentence when the last has been taken, and none without a reader", async () => {
    const { speech, utterances } = speakWith("Emu. Bbiri. Ssatu.", 1);
    expect(utterances).toHaveLength(0);
    await speech.next();
    expect(utterances).toHaveLength(1);
    await speech.return(undefined);
    expect((await speech.next()).done).toBe(true);
    expect(utterances).toHaveLength(1);
  });

  it("ends after ten minutes", async () => {
    const { speech, utterances } = speakWith("Emu. ".repeat(100), 50);
    const runs = await all(speech);
    expect(runs.reduce((sum, run) => sum + run.length, 0) / 24_000).toBeCloseTo(600, 3);
    expect(utterances).toHaveLength(12);
  });
});

describe("Samples at another rate", () => {
  it("are the same audio: as long, and as loud at each moment", () => {
    const wave = (rate: number) =>
      Int16Array.from({ length: rate }, (_, index) =>
        Math.round(10_000 * Math.sin((2 * Math.PI * 200 * index) / rate)),
      );
    const resampled = resample(wave(22_050), 22_050, 24_000);
    const expected = wave(24_000);
    expect(resampled).toHaveLength(24_000);
    expect(resampled.every((sample, index) => Math.abs(sample - (expected[index] ?? 0)) < 60)).toBe(true);
  });

  it("are none when there are none", () => {
    expect(resample(new Int16Array(0), 22_050, 24_000)).toHaveLength(0);
  });
});

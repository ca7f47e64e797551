import {
  foreignClass,
  modelledLanguages,
  sourceClassCount,
} from "../../../../../shared/models/source-language/languages.ts";
import type { CorpusLine } from "./corpus.ts";
import { heldOutLanguages, languageOf, regional } from "./partition.ts";
import { pick, type Random } from "./random.ts";
import { augment, groupsOf, pickWeighted, type Sample, type Weighted } from "./sampler.ts";
import { drawWords, type WordList } from "./word-lists.ts";

type DrawText = (random: Random) => string;

/** People who translate write sentences more often than single words. */
const shortShare = 0.3;
const minWords = 2;
const maxWords = 10;

const cropToWords = (text: string, random: Random): string => {
  const words = text.split(" ");
  const length = minWords + Math.floor(random() * (maxWords - minWords + 1));
  if (length >= words.length) return text;
  const start = Math.floor(random() * (words.length - length + 1));
  return words.slice(start, start + length).join(" ");
};

const vary = (text: string, random: Random): string =>
  random() < shortShare ? augment(text, random) : cropToWords(text, random);

/** The class of a line's language. */
export const classOf = (line: CorpusLine): number => {
  const index = modelledLanguages.indexOf(languageOf(line));
  return index >= 0 ? index : foreignClass;
};

/** Word lists are drawn by their frequencies, so lines that are single words of them would only count them twice. */
const wordListSource = "unilex";
const tempering = 0.7;
const wordListShare = 0.5;
/** A list of tens of thousands of words is drawn like one of this many. */
const maxWordsCounted = 10_000;

const wordListGroups = (lists: readonly WordList[], language: string): readonly Weighted<DrawText>[] =>
  lists
    .filter(({ languages }) => languages.includes(language))
    .map((list) => ({
      item: (random) => drawWords(list, random),
      weight: Math.min(list.words.length, maxWordsCounted) ** tempering * wordListShare,
    }));

/** With fewer texts than this, a language is drawn less often: the same few lines again teach nothing new. */
const enoughTexts = 3_000;
/** "Other" stands for some 300 languages. */
const otherWeight = 4;
/** Neighbours with little text, drawn like languages with much: results must not name a language when the text is in them. */
const neighbours: ReadonlySet<string> = new Set(["luo", "lwg", "run"]);

const weightOf = (classIndex: number, textCount: number): number => {
  if (classIndex === foreignClass) return otherWeight;
  if (neighbours.has(modelledLanguages[classIndex] ?? "")) return 1;
  return Math.min(1, Math.sqrt(textCount / enoughTexts));
};

/** The lines that may be learned from: the same as for the six languages, and those of close relatives too. */
const usableLines = (lines: readonly CorpusLine[]): readonly CorpusLine[] => {
  const open = lines.filter(({ split }) => split === "train" || split === "valid");
  const withheld = heldOutLanguages(open).evaluation;
  return open.filter((line) => line.source !== wordListSource && !withheld.has(languageOf(line)));
};

/**
 * Draws samples without end for the model of source languages: first a class, then a source within it, then a text.
 *
 * @param lines the corpus; lines of other splits than `train` and `valid` are ignored
 */
export const createSourceSampler = (lines: readonly CorpusLine[], wordLists: readonly WordList[]) => {
  const byClass = Map.groupBy(usableLines(lines), classOf);
  const classes = Array.from({ length: sourceClassCount }, (_, classIndex) => {
    const labelled = (byClass.get(classIndex) ?? []).map((line) => {
      const language = languageOf(line);
      const isOwnGroup = classIndex === foreignClass && regional.has(language);
      return { line, classIndex, group: isOwnGroup ? language : line.source };
    });
    const lists = wordListGroups(wordLists, modelledLanguages[classIndex] ?? "");
    const ofLines = groupsOf(labelled).map(
      ({ item, weight }): Weighted<DrawText> => ({
        item: (random) => pick(item, random),
        weight,
      }),
    );
    const listed = wordLists
      .filter(({ languages }) => languages.includes(modelledLanguages[classIndex] ?? ""))
      .reduce((sum, { words }) => sum + words.length, 0);
    return {
      item: { classIndex, sources: [...ofLines, ...lists] },
      weight: weightOf(classIndex, labelled.length + listed),
    };
  }).filter(({ item }) => item.sources.length > 0);

  return (random: Random): Sample => {
    const { classIndex, sources } = pickWeighted(classes, random);
    return { text: vary(pickWeighted(sources, random)(random), random), classIndex };
  };
};

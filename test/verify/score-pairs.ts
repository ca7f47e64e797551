/** An output and its reference. */
export interface Pair {
  readonly output: string;
  readonly reference: string;
}

/** Sentences in the languages and scripts that callers have, with marks of every kind. */
const sentences = [
  "Abaana bagenda ku ssomero buli lunaku.",
  "Omusawo yagamba nti: “Nywa amazzi amangi!”",
  "Watoto wanacheza mpira uwanjani; mvua ikinyesha, wanarudi nyumbani.",
  "Bei ya mahindi ni Sh. 1,250.50 kwa kilo — sawa na jana?",
  "Ŋini, ɓaa ɗi Ƙ’wara: kɔ̀fí ɛ́ dɔ̀.",
  "Ẹ káàárọ̀, ṣé dáadáa ni? Ọjọ́ kejìlá oṣù kẹta.",
  "ሰላም ለዓለም፤ እንዴት ነህ?",
  "Umwana arasoma igitabo (cya mbere) mu ishuri.",
  "The well-known nurse's 2-3 visits cost $4.75, i.e. 3.5% less.",
  "Send an email to amina@example.org & wait <1 hour> [or 2].",
  "Kampala/Entebbe: 40km, 1.5h—approx.",
  "🙂 Webale nnyo 👩🏾‍🌾 ssebo!",
  "Tom &amp; Jerry said &quot;hello&quot; -\nand left.",
  "a\u00a0b\u2003c\u200bd\u0085e\ufefff \t g  h\u3000i",
  "...",
  "1.2.3,4 5-6 -7 8. 9, a.b c,d",
] as const;

/** Returns whole numbers below `limit`; the same seed returns the same numbers. */
const numbersFrom = (seed: number): ((limit: number) => number) => {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
};

const changes: readonly ((text: string, number: (limit: number) => number) => string)[] = [
  (text) => text,
  () => "",
  (text) => text.toUpperCase(),
  (text) => `  ${text} `,
  (text) => text.replaceAll(" ", "  "),
  (text) => text.replaceAll(/[.,;:!?]/g, ""),
  (text) => Array.from(text).toReversed().join(""),
  (text) => text.split(" ").toReversed().join(" "),
  (text, number) => Array.from(text).toSpliced(number(10), 3, "é").join(""),
  (text, number) => text.split(" ").toSpliced(number(4), 1).join(" "),
  (text, number) => text.split(" ").toSpliced(number(4), 0, "ne", "-").join(" "),
  (text) => text.normalize("NFD"),
  (text) => `${text} ${text}`,
];

/** As many pairs as wanted, from perfect to unrelated; some outputs are empty. */
export const createPairs = (count: number, seed: number): Pair[] => {
  const number = numbersFrom(seed);
  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[number(items.length)];
    if (item === undefined) throw new Error("There is nothing to pick from.");
    return item;
  };
  return Array.from({ length: count }, () => {
    const reference = Array.from({ length: 1 + number(3) }, () => pick(sentences)).join(" ");
    const source = number(8) === 0 ? pick(sentences) : reference;
    const output = Array.from({ length: 1 + number(3) }, () => pick(changes)).reduce(
      (text, change) => change(text, number),
      source,
    );
    return { output, reference };
  });
};

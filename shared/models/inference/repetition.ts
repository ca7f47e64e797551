/** The length of the part around `at` in which every character is the one `period` before it, with the first unit. */
const lengthOfRun = (text: string, at: number, period: number): number => {
  let start = at;
  while (start > 0 && text[start - 1] === text[start - 1 + period]) start -= 1;
  let end = at + period;
  while (end < text.length && text[end] === text[end - period]) end += 1;
  return end - start;
};

/** Longer units are not looked for: a reply has few of them below its limit. */
const maxUnit = 1_000;

/** What counts as a repetition: a unit of this many characters or more, this often, each directly after the one before. */
interface Repetition {
  readonly unit: number;
  readonly times: number;
}

const repeats = (text: string, { unit, times }: Repetition): boolean => {
  // Every repetition has one of these blocks, and a period later the same one.
  for (let at = 0; at + unit < text.length; at += unit) {
    const block = text.slice(at, at + unit);
    const rest = text.slice(at + 1, at + maxUnit + unit);
    for (let found = rest.indexOf(block); found !== -1; found = rest.indexOf(block, found + 1)) {
      const period = found + 1;
      const repeated = period * Math.ceil(unit / period);
      if (lengthOfRun(text, at, period) >= repeated * times) return true;
    }
  }
  return false;
};

/** A source that repeats itself less than this many times longer than itself is a refrain or a table. */
const maxGrowth = 4;

/**
 * Returns whether a reply repeats the same 20 characters four times in a row, as models do that do not find an end. A source that
 * repeats itself, such as a refrain or a table, may be translated so.
 */
export const isRepetitive = (reply: string, source: string): boolean => {
  if (!repeats(reply, { unit: 20, times: 4 })) return false;
  const mayRepeat = repeats(source, { unit: 3, times: 3 });
  return !mayRepeat || reply.length > maxGrowth * source.length;
};

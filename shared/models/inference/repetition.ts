/** What repeats: at least this many characters, this often, one directly after the other. */
const [minUnit, minTimes] = [20, 4];

/** Longer units are not looked for: a reply has few of them below its limit. */
const maxUnit = 1_000;

/** The length of the longest run in which every character is the one `period` before it. */
const longestRun = (text: string, period: number): number => {
  let [run, longest] = [0, 0];
  for (let index = period; index < text.length; index++) {
    run = text.charCodeAt(index) === text.charCodeAt(index - period) ? run + 1 : 0;
    if (run > longest) longest = run;
  }
  return longest;
};

const repeats = (text: string, minLength: number, times: number): boolean => {
  const periods = Math.min(maxUnit, Math.floor(text.length / times));
  for (let period = minLength; period <= periods; period++) {
    if (longestRun(text, period) >= period * (times - 1)) return true;
  }
  return false;
};

/** A source that repeats itself less than this many times longer than itself is a refrain or a table. */
const maxGrowth = 4;

/**
 * Returns whether a reply repeats the same 20 characters four times in a row, as models do that do not find an end. A source that
 * repeats itself, such as a refrain or a table, may be translated so. Takes time by the length of the text times at most 1,000.
 */
export const isRepetitive = (reply: string, source: string): boolean => {
  if (!repeats(reply, minUnit, minTimes)) return false;
  const mayRepeat = repeats(source, 1, 3);
  return !mayRepeat || reply.length > maxGrowth * source.length;
};

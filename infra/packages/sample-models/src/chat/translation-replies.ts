import { translateRuns } from "../phrasebook/translate.ts";
import { connectHint, disclosure, quote } from "./echo.ts";

/**
 * The instruction that a service sends to a translation model. The names are short, so their length is bounded: a
 * long text without a colon is then refused at once.
 */
const instruction =
  /^(?:please )?translate(?: (?:this|the following)(?: text| sentence)?)?(?: from (?<source>[^:\n]{1,60}?))? (?:in)?to (?<target>[^:\n]{1,60}?) ?:\s*(?<text>\S[\s\S]*)$/iu;

/** A question in passing. Lengths are bounded so that no message takes long to refuse. */
const question =
  /^how (?:do|can|would) (?:you|i|we) say ["'“‘]?(?<text>.{1,300}?)["'”’]? in (?<target>[\p{L}'’-]{2,30})[\s?.!]{0,10}$/iu;

type Groups = Readonly<Record<string, string>>;

/** The translation of a text; missing words are named in brackets instead. */
const translate = ({ text = "", target = "", source }: Groups): string =>
  translateRuns({ text, target, ...(source === undefined ? {} : { source }) })
    .map(({ original, translation, gap }) => {
      const missing = `[sample server: no translation of ${quote(original)} into ${target}; ${connectHint}]`;
      return (translation ?? missing) + gap;
    })
    .join("");

/**
 * The reply to a request for a translation; `undefined` for any other message. `Translate from English to Luganda: …`
 * gets the translation and nothing else, as a model should return it; `How do you say …?` gets a sentence.
 */
export const translationReply = (message: string): string | undefined => {
  const ordered = instruction.exec(message)?.groups;
  if (ordered) return translate(ordered);
  const found = question.exec(message)?.groups;
  return found && `${quote(found["text"] ?? "")} in ${found["target"]}: ${translate(found)}. ${disclosure}`;
};

import { type TranslatedRun, translateRuns } from "../../phrasebook/translate.ts";
import { connectHint, quote } from "../disclosure.ts";
import type { Skill } from "../skill.ts";

/**
 * The instruction that the service gives to a translation model. The names are short, so their length is bounded:
 * a long text without a colon is then refused at once.
 */
const instruction =
  /^(?:please )?translate(?: (?:this|the following)(?: text| sentence)?)?(?: from (?<source>[^:\n]{1,60}?))? (?:in)?to (?<target>[^:\n]{1,60}?) ?:\s*(?<text>\S[\s\S]*)$/iu;

/**
 * `Translate from English to Luganda: …` gives the translation and nothing else, as a model is asked to. What the
 * phrasebook does not have is named in its place, in brackets.
 */
export const followTranslationInstruction: Skill = ({ message }) => {
  const { source, target, text } = instruction.exec(message)?.groups ?? {};
  if (target === undefined || text === undefined) return undefined;
  const runs = translateRuns({ text, target, ...(source === undefined ? {} : { source }) });
  return runs.map((run) => (run.translation ?? missing(run, target)) + run.gap).join("");
};

function missing({ original }: TranslatedRun, target: string): string {
  return `[sample server: no translation of ${quote(original)} into ${target}; ${connectHint}]`;
}

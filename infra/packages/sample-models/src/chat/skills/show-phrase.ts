import { languageName, phrasebookLanguages } from "../../phrasebook/languages.ts";
import { findPhrase, languagesOf } from "../../phrasebook/phrasebook.ts";
import { disclosure, quote } from "../disclosure.ts";
import type { Skill } from "../skill.ts";

/** A message that is a phrase of the phrasebook and asks nothing gets the phrase in all its languages. */
export const showPhrase: Skill = ({ message }) => {
  const [spoken] = languagesOf(message);
  const phrase = spoken && findPhrase(message, spoken);
  if (!phrase) return undefined;
  const wordings = phrasebookLanguages.flatMap((language) => {
    const given = phrase[language]?.[0];
    return given === undefined || language === spoken ? [] : [`${languageName(language)} ${quote(given)}`];
  });
  return `${quote(message)} is ${languageName(spoken)}; in other languages: ${wordings.join(", ")}. ${disclosure}`;
};

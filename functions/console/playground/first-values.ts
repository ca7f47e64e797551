import { defaultSynthesisLanguage } from "../../../shared/platform/catalogue/voices.ts";
import { type AttemptName, type AttemptValues, attemptDefinitions } from "./attempts.ts";

/**
 * The values that the page starts with. The stage decides which language speaks, and `attempts.ts` is also loaded by browsers, which
 * do not have the catalogue.
 */
export const firstValues = (name: AttemptName): AttemptValues => ({
  ...attemptDefinitions[name].values,
  ...(name === "speak" ? { language: defaultSynthesisLanguage } : {}),
});

import { type LanguageModel, loadLanguageModel } from "../../shared/models/language-id/model.ts";
import { readWeights } from "../../shared/models/language-id/weights.ts";

/** Returns the model, which is loaded at its first use: for functions of which few requests need it. */
export const languageModelOnDemand = (): LanguageModel => {
  let loaded: LanguageModel | undefined;
  return {
    identify: (text) => {
      loaded ??= loadLanguageModel(readWeights());
      return loaded.identify(text);
    },
  };
};

import { type LanguageModel, loadLanguageModel } from "./model.ts";
import { readWeights } from "./weights.ts";

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

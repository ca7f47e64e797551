/**
 * What the training and evaluation of the model share with it (`infra/packages/language-id-training`), so that a
 * text has the same features on both sides. The functions import the files themselves.
 */
export { bucketBits, featureCapacity, writeFeatures } from "./features.ts";
export { classify, type IdentifiableLanguage, identifiableLanguages } from "./identification.ts";
export { createScorer, type LanguageModel, loadLanguageModel } from "./model.ts";
export { normalise } from "./normalise.ts";
export {
  classCount,
  encodeWeights,
  maxLevel,
  otherClass,
  readWeights,
  type Weights,
  weightsFile,
} from "./weights.ts";

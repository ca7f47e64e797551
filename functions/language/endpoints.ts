import { type Endpoint, endpoint } from "../../shared/http/endpoint.ts";
import { classify } from "../../shared/language-id/identification.ts";
import type { LanguageModel } from "../../shared/language-id/model.ts";
import { classifyOperation, identifyOperation, notDetected } from "./contract.ts";

/** Language identification, bound to the model. */
export const languageEndpoints = ({ model }: { readonly model: LanguageModel }): Endpoint[] => [
  endpoint(identifyOperation, ({ body }) => ({ language: model.identify(body.text).language })),
  endpoint(classifyOperation, ({ body }) => ({
    language: classify(model.identify(body.text)) ?? notDetected,
  })),
];

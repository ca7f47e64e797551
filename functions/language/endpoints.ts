import { endpoint } from "../../shared/http/endpoint.ts";
import type { Endpoint } from "../../shared/http/exchange.ts";
import { classify } from "../../shared/models/language-id/identification.ts";
import type { LanguageModel } from "../../shared/models/language-id/model.ts";
import { countCharacters } from "../../shared/platform/telemetry/use.ts";
import { classifyOperation, identifyOperation, notDetected } from "./contract.ts";

/** Language identification, bound to the model. */
export const languageEndpoints = ({ model }: { readonly model: LanguageModel }): Endpoint[] => {
  const identify = (text: string) => {
    const identified = model.identify(text);
    countCharacters(text);
    return identified;
  };
  return [
    endpoint(identifyOperation, ({ body }) => ({ language: identify(body.text).language })),
    endpoint(classifyOperation, ({ body }) => ({ language: classify(identify(body.text)) ?? notDetected })),
  ];
};

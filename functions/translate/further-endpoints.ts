import { endpoint } from "../../shared/http/endpoint.ts";
import type { Endpoint } from "../../shared/http/exchange.ts";
import { countCharacters } from "../../shared/platform/telemetry/use.ts";
import {
  deeplLanguagesOperation,
  deeplPostLanguagesOperation,
  deeplTranslateOperation,
  deeplUsageOperation,
} from "./deepl/contract.ts";
import {
  deeplGlossariesOperation,
  deeplGlossaryPairsOperation,
  deeplThirdGlossariesOperation,
} from "./deepl/glossaries-contract.ts";
import { listDeeplLanguages, toDeeplUsage } from "./deepl/list-languages.ts";
import { translateForDeepl } from "./deepl/translate.ts";
import {
  libreDetectOperation,
  libreLanguagesOperation,
  libreSettingsOperation,
  libreTranslateOperation,
} from "./libretranslate/contract.ts";
import { libreTranslateSettings, listLibreTranslateLanguages } from "./libretranslate/describe-service.ts";
import { detectForLibreTranslate, translateForLibreTranslate } from "./libretranslate/translate.ts";
import type { DetectingDependencies } from "./translate-all.ts";

const deeplEndpoints = (dependencies: DetectingDependencies): Endpoint[] => [
  endpoint(deeplTranslateOperation, ({ body, caller: { userId }, request: { signal } }) =>
    translateForDeepl(body, { userId, signal }, dependencies),
  ),
  endpoint(deeplLanguagesOperation, ({ query }) => listDeeplLanguages(query.type)),
  endpoint(deeplPostLanguagesOperation, ({ body }) => listDeeplLanguages(body.type)),
  endpoint(deeplUsageOperation, async ({ caller: { userId } }) =>
    toDeeplUsage(await dependencies.characters.read(userId)),
  ),
  endpoint(deeplGlossaryPairsOperation, () => ({ supported_languages: [] })),
  endpoint(deeplGlossariesOperation, () => ({ glossaries: [] })),
  endpoint(deeplThirdGlossariesOperation, () => ({ glossaries: [] })),
];

const libreTranslateEndpoints = (dependencies: DetectingDependencies): Endpoint[] => [
  endpoint(libreTranslateOperation, ({ body, caller: { userId }, request: { signal } }) =>
    translateForLibreTranslate(body, { userId, signal }, dependencies),
  ),
  endpoint(libreDetectOperation, ({ body }) => {
    countCharacters(body.q);
    return [detectForLibreTranslate(body.q, dependencies)];
  }),
  endpoint(libreLanguagesOperation, listLibreTranslateLanguages),
  endpoint(libreSettingsOperation, libreTranslateSettings),
];

/** The routes for clients of DeepL and LibreTranslate. */
export const furtherTranslateEndpoints = (dependencies: DetectingDependencies): Endpoint[] => [
  ...deeplEndpoints(dependencies),
  ...libreTranslateEndpoints(dependencies),
];

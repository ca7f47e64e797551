import { defineFunction } from "../../shared/http/function-definition.ts";
import { translateBatchOperation, translateOperation } from "./contract.ts";
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
import { translateEnvironment } from "./environment.ts";
import {
  libreDetectOperation,
  libreLanguagesOperation,
  libreSettingsOperation,
  libreTranslateOperation,
} from "./libretranslate/contract.ts";

export const translateFunction = defineFunction({
  name: "translate",
  description: "Translation, also for clients of DeepL and LibreTranslate",
  operations: [
    translateOperation,
    translateBatchOperation,
    deeplTranslateOperation,
    deeplLanguagesOperation,
    deeplPostLanguagesOperation,
    deeplUsageOperation,
    deeplGlossaryPairsOperation,
    deeplGlossariesOperation,
    deeplThirdGlossariesOperation,
    libreTranslateOperation,
    libreDetectOperation,
    libreLanguagesOperation,
    libreSettingsOperation,
  ],
  environment: translateEnvironment,
  memoryMegabytes: 512,
  timeoutSeconds: 150,
  transfer: "stream",
});

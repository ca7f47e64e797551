import { authFunction } from "./auth/contract.ts";
import { authorizerFunction } from "./authorizer/contract.ts";
import { chatFunction } from "./chat/contract.ts";
import { docsFunction } from "./docs/contract.ts";
import { languageFunction } from "./language/contract.ts";
import { mailFunction } from "./mail/contract.ts";
import { translateFunction } from "./translate/contract.ts";

/** Every function of the service. A function that is missing here is neither built, deployed nor documented. */
export const functionDefinitions = [
  authFunction,
  authorizerFunction,
  chatFunction,
  docsFunction,
  languageFunction,
  mailFunction,
  translateFunction,
] as const;

/** Every route of the service. */
export const operations = functionDefinitions.flatMap((definition) => definition.operations);

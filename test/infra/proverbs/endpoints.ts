import { endpoint } from "../../../shared/http/endpoint.ts";
import type { Endpoint } from "../../../shared/http/exchange.ts";
import { findProverbOperation } from "./contract.ts";
import { findProverb } from "./find-proverb.ts";

export const proverbsEndpoints = (): Endpoint[] => [
  endpoint(findProverbOperation, ({ body }) => ({ proverb: findProverb(body.word) })),
];

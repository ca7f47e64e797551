import { type Endpoint, endpoint } from "../../shared/http/endpoint.ts";
import type { Translator } from "../../shared/models/inference/translation.ts";
import { translateOperation } from "./contract.ts";
import { translate } from "./translate.ts";

export const translateEndpoints = ({ translator }: { readonly translator: Translator }): Endpoint[] => [
  endpoint(translateOperation, ({ body, request }) =>
    translate(body, { translator, signal: request.signal }),
  ),
];

import type { ApiDocument } from "../../../shared/http/openapi/document.ts";
import openApi from "../../../shared/http/openapi/openapi.json" with { type: "json" };
import { shownDocument } from "./shown-document.ts";

/** What pages show of the OpenAPI document. `infra/bundling/guides.ts` leaves the rest out of bundles. */
export const readShownDocument = (): ApiDocument => shownDocument(openApi);

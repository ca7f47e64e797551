import { createBufferedHandler } from "../../shared/http/create-handler.ts";
import { docsEndpoints } from "./endpoints.ts";

export const handler = createBufferedHandler(docsEndpoints());

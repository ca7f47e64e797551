import { createHash, timingSafeEqual } from "node:crypto";
import { AppError } from "../platform/errors/app-error.ts";
import type { HttpMiddleware } from "./request.ts";

/** The header with which the domain of streams proves itself to the function behind it. */
export const originSecretHeader = "x-language-ai-origin";

/** The header in which that domain names the address of the caller. */
export const viewerAddressHeader = "x-language-ai-viewer";

const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest();

/**
 * In a stage with a domain for streams, refuses requests at the function's own URL, which avoid the domain's firewall, and reads the
 * caller's address from the header that the domain adds.
 *
 * @param secret which the domain sends; empty in a stage without that domain, where the URL is for callers
 */
export const requireStreamDomain = (secret: string): HttpMiddleware => ({
  before: ({ event }) => {
    if (secret === "" || event.entryPoint !== "function-url") return;
    const { [originSecretHeader]: sent = "", [viewerAddressHeader]: address } = event.headers;
    if (!timingSafeEqual(digestOf(sent), digestOf(secret))) throw new AppError("forbidden");
    if (address) event.requestContext.identity.sourceIp = address;
  },
});

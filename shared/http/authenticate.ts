import * as z from "zod";
import type { Credential } from "../accounts/access/api-keys.ts";
import type { VerifyBearer } from "../accounts/access/verify-bearer.ts";
import { AppError } from "../platform/errors/app-error.ts";
import { authorizationOf } from "./dialect-request.ts";
import type { HttpEvent, HttpMiddleware } from "./request.ts";

const accountNumber = z.coerce.number().int();

/** A credential as the authorizer passes it to the function. API Gateway turns context values into strings. */
export const credentialContext = z.union([
  z.object({
    userId: accountNumber,
    tokenId: z.string(),
    tokenEpoch: z.coerce.number().int(),
    tokenExpiresAt: z.coerce.number().int().optional(),
    scopes: z
      .string()
      .transform((text) => text.split(" "))
      .optional(),
  }),
  z.object({ userId: accountNumber, keyId: z.string(), keyDigest: z.string() }),
]) satisfies z.ZodType<Credential>;

const byAuthorizer = ({ requestContext }: HttpEvent): Credential | undefined =>
  credentialContext.safeParse(requestContext.authorizer).data;

/**
 * Sets the credential of a request whose operation requires one. Behind API Gateway's authorizer its claims come from the
 * authorizer's context. Function URLs, deprecated routes and the APIs of others have no authorizer, so the token or key is verified
 * here.
 *
 * Afterwards a token's signature and expiry are valid, or a key's checksum is. The write that counts the request checks
 * whether it was revoked.
 */
export const authenticate = (verifyBearer: VerifyBearer | undefined): HttpMiddleware => ({
  before: async (request) => {
    const { event } = request;
    if (event.endpoint?.operation.auth !== "user") return;
    const isChecked = event.entryPoint === "rest-api" && Boolean(event.requestContext.authorizer);
    event.credential = isChecked ? byAuthorizer(event) : await verifyBearer?.(await authorizationOf(request));
    if (!event.credential) throw new AppError("unauthenticated");
  },
});

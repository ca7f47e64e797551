import * as z from "zod";
import type { Credential } from "../accounts/access/api-keys.ts";
import type { VerifyBearer } from "../accounts/access/verify-bearer.ts";
import { AppError } from "../platform/errors/app-error.ts";
import type { HttpEvent, HttpMiddleware } from "./request.ts";

const accountNumber = z.coerce.number().int();

/** A credential as the authorizer passes it on. API Gateway carries context values as strings. */
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
 * Finds the token or key of a request, for operations that ask for one: what it claims comes from API Gateway's authorizer,
 * or from itself where none stands in front of the function, which is behind a function URL and at deprecated routes. An
 * event without the authorizer's context did not pass it, so it is checked here.
 *
 * A token's signature and expiry are right then, or a key's checksum. Whether it was revoked, the write finds out that
 * counts the request.
 */
export const authenticate = (verifyBearer: VerifyBearer | undefined): HttpMiddleware => ({
  before: async ({ event }) => {
    if (event.endpoint?.operation.auth !== "user") return;
    const isChecked = event.entryPoint === "rest-api" && Boolean(event.requestContext.authorizer);
    event.credential = isChecked ? byAuthorizer(event) : await verifyBearer?.(event.headers["authorization"]);
    if (!event.credential) throw new AppError("unauthenticated");
  },
});

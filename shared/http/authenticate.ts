import { tokenContext } from "../auth/caller.ts";
import type { TokenClaims } from "../auth/tokens.ts";
import type { VerifyBearer } from "../auth/verify-bearer.ts";
import { AppError } from "../errors/app-error.ts";
import type { HttpEvent, HttpMiddleware } from "./request.ts";

const byAuthorizer = ({ requestContext }: HttpEvent): TokenClaims | undefined =>
  tokenContext.safeParse(requestContext.authorizer).data;

/**
 * Finds the token of a request, for operations that ask for one: its claims come from API Gateway's authorizer, or from the
 * token itself where none stands in front of the function, which is behind a function URL and at deprecated routes. An
 * event without the authorizer's context did not pass it, so its token is checked here.
 *
 * Signature and expiry are right then. Whether the token was revoked, the write finds out that counts the request.
 */
export const authenticate = (verifyBearer: VerifyBearer | undefined): HttpMiddleware => ({
  before: async ({ event }) => {
    if (event.endpoint?.operation.auth !== "user") return;
    const isChecked = event.entryPoint === "rest-api" && Boolean(event.requestContext.authorizer);
    event.token = isChecked ? byAuthorizer(event) : await verifyBearer?.(event.headers["authorization"]);
    if (!event.token) throw new AppError("unauthenticated");
  },
});

import type { Decision } from "../auth/authorize.ts";
import { type Caller, caller } from "../auth/caller.ts";
import { AppError } from "../errors/app-error.ts";
import type { HttpEvent, HttpMiddleware } from "./request.ts";

/** Decides about an `Authorization` header. */
export type Authorize = (authorization: string | undefined) => Promise<Decision>;

const byToken = async (authorize: Authorize | undefined, { headers }: HttpEvent): Promise<Caller> => {
  const decision = await authorize?.(headers["authorization"]);
  if (decision?.kind === "allowed") return decision.caller;
  throw new AppError(decision?.kind ?? "unauthenticated");
};

const byAuthorizer = ({ requestContext }: HttpEvent): Caller => {
  const context = caller.safeParse(requestContext.authorizer);
  if (!context.success) throw new AppError("unauthenticated");
  return context.data;
};

/**
 * Finds out who is calling, for operations that ask for a token: from API Gateway's authorizer, or by the token itself
 * where none stands in front of the function, which is behind a function URL and at deprecated routes. An event without
 * the authorizer's context did not pass it, so its caller is checked here.
 */
export const authenticate = (authorize: Authorize | undefined): HttpMiddleware => ({
  before: async ({ event }) => {
    if (event.endpoint?.operation.auth !== "user") return;
    const isChecked = event.entryPoint === "rest-api" && Boolean(event.requestContext.authorizer);
    event.caller = isChecked ? byAuthorizer(event) : await byToken(authorize, event);
  },
});

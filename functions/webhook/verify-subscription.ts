import { AppError } from "../../shared/errors/app-error.ts";
import { Reply } from "../../shared/http/reply.ts";
import type { PlatformSecretSource } from "../../shared/messaging/platform-secrets.ts";
import type { VerifyWebhookQuery } from "./contract.ts";
import { equalSecrets } from "./equal-secrets.ts";

/**
 * Answers the platform's question whether the webhook is ours: with its challenge, when it knows the verify token.
 *
 * @throws AppError `bad_request` when a parameter is missing, `forbidden` when mode or token are not the right ones.
 */
export const verifySubscription = async (
  query: VerifyWebhookQuery,
  { secrets }: { readonly secrets: PlatformSecretSource },
): Promise<Reply> => {
  const { "hub.mode": mode, "hub.challenge": challenge, "hub.verify_token": token } = query;
  if (!mode || !challenge || !token) {
    throw new AppError("bad_request", {
      message: "hub.mode, hub.challenge and hub.verify_token are all needed.",
    });
  }
  const { current } = await secrets.get();
  const isKnown = current.verify_token !== undefined && equalSecrets(token, current.verify_token);
  if (mode !== "subscribe" || !isKnown) {
    throw new AppError("forbidden", { message: "hub.mode or hub.verify_token is not the expected one." });
  }
  return new Reply({ contentType: "text/plain; charset=utf-8", body: challenge });
};

import type { PlatformSecrets } from "../../../shared/messaging/platform-secrets.ts";

/** What stands in for the platform's secrets: those a person has set, else words that protect nothing. */
export const localPlatformSecrets = (
  variables: Readonly<Record<string, string | undefined>>,
): Readonly<Record<keyof PlatformSecrets, string>> => ({
  verify_token: variables["MESSAGING_VERIFY_TOKEN"] || "local-verify-token",
  app_secret: variables["MESSAGING_APP_SECRET"] || "local-app-secret",
  access_token: variables["MESSAGING_ACCESS_TOKEN"] || "local-access-token",
});

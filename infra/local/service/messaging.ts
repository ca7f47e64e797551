import { join } from "node:path";
import { localPlatformSecrets } from "../messaging/platform-secrets.ts";
import { type MessagingPlatformServer, startMessagingPlatform } from "../messaging/platform-server.ts";
import type { LocalSettings } from "./settings.ts";

/** Starts the messaging platform's stand-in, unless the settings name the platform itself or another stand-in. */
export const startMessaging = async (
  { dataDirectory, messagingApiUrl }: LocalSettings,
  variables: Readonly<Record<string, string | undefined>>,
  baseUrl: string,
): Promise<MessagingPlatformServer | undefined> => {
  if (messagingApiUrl) return undefined;
  const { access_token: accessToken, app_secret: appSecret } = localPlatformSecrets(variables);
  return startMessagingPlatform({
    dataDirectory: join(dataDirectory, "messaging"),
    accessToken,
    webhook: { url: `${baseUrl}/tasks/webhook`, appSecret },
  });
};

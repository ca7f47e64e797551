import { join } from "node:path";
import { sampleModels, startSampleInference } from "@language-ai/sample-models";
import { synthesisLanguages } from "../../shared/catalogue/voices.ts";
import { type MessagingPlatformServer, startMessagingPlatform } from "./messaging/platform-server.ts";
import type { LocalSettings } from "./settings.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** Who answers for the models. */
interface Models {
  /** The sample server's address; `undefined` when other servers answer. */
  readonly sampleUrl: string | undefined;
  /** What the stage has to know of them, the person's own variables included. */
  readonly variables: Variables;
  close(): Promise<void>;
}

/** Starts the sample inference server, unless the settings name another one. */
export const startModels = async (
  { chatBaseUrl }: LocalSettings,
  port: number,
  variables: Variables,
): Promise<Models> => {
  if (chatBaseUrl) return { sampleUrl: undefined, variables, close: async () => undefined };
  const sample = await startSampleInference({ port, voices: synthesisLanguages });
  return {
    sampleUrl: sample.baseUrl,
    variables: {
      CHAT_MODEL_14B: sampleModels.model14b,
      CHAT_MODEL_9B: sampleModels.model9b,
      SPEECH_MODEL: sampleModels.speech,
      TRANSCRIPTION_MODEL: sampleModels.transcription,
      ...variables,
      CHAT_BASE_URL: sample.baseUrl,
    },
    close: () => sample.close(),
  };
};

/** Starts the messaging platform's stand-in, unless the settings name the platform itself or another stand-in. */
export const startMessaging = async (
  { dataDirectory, messagingApiUrl, platformSecrets }: LocalSettings,
  baseUrl: string,
): Promise<MessagingPlatformServer | undefined> => {
  if (messagingApiUrl) return undefined;
  const { access_token: accessToken, app_secret: appSecret } = platformSecrets;
  return startMessagingPlatform({
    dataDirectory: join(dataDirectory, "messaging"),
    accessToken,
    webhook: { url: `${baseUrl}/tasks/webhook`, appSecret },
  });
};

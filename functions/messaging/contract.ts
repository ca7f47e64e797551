import * as z from "zod";
import { defineFunction } from "../../shared/http/function-definition.ts";
import {
  bucketEnvironment,
  chatBackendEnvironment,
  jobQueueEnvironment,
  messageQueueEnvironment,
  platformSecretsEnvironment,
  publicAddressEnvironment,
  speechBackendEnvironment,
  tableEnvironment,
  transcriptionBackendEnvironment,
  transcriptionFeaturesEnvironment,
  translationBackendEnvironment,
} from "../../shared/platform/config/environment.ts";

/** Attempts at a message before it goes to the dead-letter queue. */
export const messageAttempts = 5;

export const messagingFunction = defineFunction({
  name: "messaging",
  description: "Replies to messages of people on the messaging platform",
  operations: [],
  environment: {
    ...tableEnvironment,
    ...bucketEnvironment,
    ...messageQueueEnvironment,
    ...jobQueueEnvironment,
    ...platformSecretsEnvironment,
    ...publicAddressEnvironment,
    ...chatBackendEnvironment,
    ...translationBackendEnvironment,
    ...transcriptionBackendEnvironment,
    ...transcriptionFeaturesEnvironment,
    ...speechBackendEnvironment,
    /** The dead-letter queue. Messages in it get an apology. */
    MESSAGE_DEAD_LETTER_QUEUE_ARN: z.string().startsWith("arn:"),
    /** The platform's Graph API, without the version and a slash at the end. */
    MESSAGING_API_URL: z.url().transform((url) => url.replace(/\/+$/, "")),
    MESSAGING_API_VERSION: z.string().regex(/^v\d+\.\d+$/),
    /** The template for transcripts that are ready more than a day after the person wrote; without it they wait. */
    MESSAGING_RESULT_TEMPLATE: z
      .string()
      .transform((text) => {
        const [name = "", language = ""] = text.split(":");
        return { name, language };
      })
      .optional(),
  },
  memoryMegabytes: 512,
  timeoutSeconds: 300,
  transfer: "buffered",
});

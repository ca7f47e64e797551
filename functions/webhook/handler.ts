import { createReadingLimit } from "../../shared/accounts/limits/reading-limit.ts";
import { createBufferedHandler } from "../../shared/http/pipeline.ts";
import { openMessageQueue } from "../../shared/messaging/message-queue.ts";
import { saveReceipt } from "../../shared/messaging/send-receipt.ts";
import { awsConfigOf, readEnvironment } from "../../shared/platform/config/environment.ts";
import { requestTableFrom } from "../../shared/wiring/from-environment.ts";
import { platformSecretsFrom } from "../../shared/wiring/secrets-from-environment.ts";
import { webhookFunction } from "./contract.ts";
import { webhookEndpoints } from "./endpoints.ts";

const environment = readEnvironment(webhookFunction.environment, process.env);
const table = requestTableFrom(environment);

export const handler = createBufferedHandler(
  webhookEndpoints({
    secrets: platformSecretsFrom(environment),
    signatureMode: environment.MESSAGING_SIGNATURE_MODE,
    queue: openMessageQueue(environment.MESSAGE_QUEUE_URL, awsConfigOf(environment)),
    unsigned: createReadingLimit(),
    saveReceipt: (reply, receipt) => saveReceipt(table, reply, receipt),
  }),
  { metricsNamespace: environment.METRICS_NAMESPACE },
);

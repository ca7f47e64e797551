import { join } from "node:path";
import {
  LOCAL_REGION,
  startDynamoDb,
  startS3,
  startSecrets,
  startSes,
  startSqs,
} from "@language-ai/aws-stand-ins";
import type { LocalSettings } from "./settings.ts";

/** The key pair that every part of the local service signs with. It protects nothing: all of it is on one machine. */
export const localCredentials = { accessKeyId: "local-access-key", secretAccessKey: "local-secret-key" };

/** How often objects are looked at that a lifecycle rule may have ended; AWS does so once a day. */
const lifecycleMilliseconds = 60 * 60_000;

/** The servers that stand in for AWS, each unless the settings name another one. */
export type EmbeddedServices = Awaited<ReturnType<typeof startEmbeddedServices>>;

/**
 * Starts them side by side; their data lies in one folder each.
 *
 * @throws Error with a sentence when a port is taken or a folder cannot be used; what had started is stopped again.
 */
export const startEmbeddedServices = async (settings: LocalSettings, storagePort: number) => {
  const { externalEndpoints: external } = settings;
  const folder = (name: string) => ({ dataDirectory: join(settings.dataDirectory, name) });
  const starting = {
    dynamoDb: external.dynamoDb ? undefined : startDynamoDb(folder("dynamodb")),
    s3: external.s3
      ? undefined
      : startS3({
          ...folder("s3"),
          port: storagePort,
          credentials: localCredentials,
          region: LOCAL_REGION,
        }),
    sqs: external.sqs ? undefined : startSqs(folder("sqs")),
    ses: external.ses ? undefined : startSes(folder("ses")),
    secrets: startSecrets(folder("secrets")),
  };
  const outcomes = await Promise.allSettled(Object.values(starting));
  let lifecycle: NodeJS.Timeout | undefined;
  const close = async () => {
    clearInterval(lifecycle);
    const running = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
    await Promise.all(running.map((server) => server?.close()));
  };
  const failure = outcomes.find((outcome) => outcome.status === "rejected");
  if (failure) {
    await close();
    throw failure.reason;
  }
  const [dynamoDb, s3, sqs, ses, secrets] = await Promise.all([
    starting.dynamoDb,
    starting.s3,
    starting.sqs,
    starting.ses,
    starting.secrets,
  ]);
  lifecycle = setInterval(() => void s3?.applyLifecycle(), lifecycleMilliseconds).unref();
  return {
    dynamoDb,
    s3,
    sqs,
    ses,
    secrets,
    endpoints: {
      dynamoDb: dynamoDb?.endpoint ?? external.dynamoDb ?? "",
      s3: s3?.endpoint ?? external.s3 ?? "",
      sqs: sqs?.endpoint ?? external.sqs ?? "",
      ses: ses?.endpoint ?? external.ses ?? "",
      secrets: secrets.endpoint,
    },
    close,
  };
};

/** The variables through which the AWS SDK of any process finds the services. */
export const sdkVariables = ({ endpoints }: Pick<EmbeddedServices, "endpoints">): Record<string, string> => ({
  AWS_REGION: LOCAL_REGION,
  AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
  AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamoDb,
  AWS_ENDPOINT_URL_S3: endpoints.s3,
  AWS_ENDPOINT_URL_SQS: endpoints.sqs,
  AWS_ENDPOINT_URL_SESV2: endpoints.ses,
  AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secrets,
});

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { startDynamoDb } from "./dynamodb/dynamodb-server.ts";
import { Authority } from "./iam/authority.ts";
import { localCredentials, localRegion } from "./iam/local-account.ts";
import { startS3 } from "./s3/s3-server.ts";
import { startSecrets } from "./secrets/secrets-server.ts";
import { startSes } from "./ses/ses-server.ts";
import { startSqs } from "./sqs/sqs-server.ts";

/** How often expired objects are looked for; AWS does so once a day. */
const lifecycleMilliseconds = 60 * 60_000;

/** Where the services are reached, without a trailing slash. */
export interface ServiceEndpoints {
  readonly dynamoDb: string;
  readonly s3: string;
  readonly sqs: string;
  readonly ses: string;
  readonly secrets: string;
}

/** Where servers listen (`0.0.0.0`: at every address of this machine), and the address by which they are reached. */
export interface ListeningNetwork {
  readonly listen: string;
  readonly address: string;
}

export interface StandInsOptions {
  /** Each service keeps its data in a folder of its own below this one; made when it is missing. */
  readonly dataDirectory: string;
  /**
   * Lets other machines reach what callers of the app reach: its APIs, and S3 for signed links. Everything else stays
   * on the loopback interface, and S3 gets secret keys.
   */
  readonly network?: ListeningNetwork;
  /** The port of S3, which is part of links for people; 0, the default, lets the system choose one. */
  readonly s3Port?: number;
  /**
   * Whether calls need permissions: each key may do what the policies of its role allow. Nothing is enforced with another
   * server in place of a stand-in, which does not know the keys of roles.
   */
  readonly enforcesPermissions?: boolean;
  /** Servers to be used in place of stand-ins, such as `http://127.0.0.1:8000` for another DynamoDB. */
  readonly endpoints?: { readonly [Name in "dynamoDb" | "s3" | "sqs" | "ses"]?: string | undefined };
}

/** The servers that replace AWS, each unless another endpoint was given. */
export type StandIns = Awaited<ReturnType<typeof startStandIns>>;

/**
 * Starts the stand-ins of DynamoDB, S3, SQS, SES and Secrets Manager in parallel. They contain only the tables,
 * buckets, queues and secrets of an earlier run; {@link provision} creates what a template names.
 *
 *
 * @throws Error with a message when a port is in use or a folder cannot be used; what had started is stopped again.
 */
export const startStandIns = async ({
  dataDirectory,
  s3Port = 0,
  endpoints = {},
  network,
  enforcesPermissions = false,
}: StandInsOptions) => {
  const credentials = network
    ? { accessKeyId: randomBytes(10).toString("hex"), secretAccessKey: randomBytes(30).toString("base64url") }
    : localCredentials;
  const isReplaced = Object.values(endpoints).some((endpoint) => endpoint !== undefined);
  const authority = enforcesPermissions && !isReplaced ? new Authority(credentials) : undefined;
  const folder = (name: string) => ({ dataDirectory: join(dataDirectory, name), authority });
  const s3Options = {
    ...folder("s3"),
    port: s3Port,
    credentials,
    region: localRegion,
    ...(network && { network }),
  };
  const starting = {
    dynamoDb: endpoints.dynamoDb ? undefined : startDynamoDb(folder("dynamodb")),
    s3: endpoints.s3 ? undefined : startS3(s3Options),
    sqs: endpoints.sqs ? undefined : startSqs(folder("sqs")),
    ses: endpoints.ses ? undefined : startSes(folder("ses")),
    secrets: startSecrets(folder("secrets")),
  };
  const outcomes = await Promise.allSettled(Object.values(starting));
  let lifecycle: NodeJS.Timeout | undefined;
  const close = async (): Promise<void> => {
    clearInterval(lifecycle);
    const running = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
    await Promise.all(running.map((server) => server?.close()));
  };
  const failure = outcomes.find((outcome) => outcome.status === "rejected");
  if (failure) {
    await close();
    throw failure.reason;
  }
  const dynamoDb = await starting.dynamoDb;
  const s3 = await starting.s3;
  const sqs = await starting.sqs;
  const ses = await starting.ses;
  const secrets = await starting.secrets;
  lifecycle = setInterval(() => void s3?.applyLifecycle(), lifecycleMilliseconds).unref();
  const reached: ServiceEndpoints = {
    dynamoDb: dynamoDb?.endpoint ?? endpoints.dynamoDb ?? "",
    s3: s3?.endpoint ?? endpoints.s3 ?? "",
    sqs: sqs?.endpoint ?? endpoints.sqs ?? "",
    ses: ses?.endpoint ?? endpoints.ses ?? "",
    secrets: secrets.endpoint,
  };
  return { dynamoDb, s3, sqs, ses, secrets, endpoints: reached, credentials, authority, close };
};

/** The variables through which an AWS SDK of any process, or the AWS command line, finds the services. */
export const sdkVariables = ({
  endpoints,
  credentials,
}: Pick<StandIns, "endpoints" | "credentials">): Record<string, string> => ({
  AWS_REGION: localRegion,
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamoDb,
  AWS_ENDPOINT_URL_S3: endpoints.s3,
  AWS_ENDPOINT_URL_SQS: endpoints.sqs,
  AWS_ENDPOINT_URL_SESV2: endpoints.ses,
  AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secrets,
});

import * as z from "zod";
import { awsJsonProtocol, jsonOperation } from "../aws-protocol/aws-json.ts";
import { AwsError, startAwsServer } from "../aws-protocol/aws-server.ts";
import { type Authority, denialMessage } from "../iam/authority.ts";
import { secretArn } from "./secret-arn.ts";
import { type Secret, SecretStore, type SecretVersion } from "./secret-store.ts";

const getSecretValueSchema = z.object({
  SecretId: z.string().min(1).max(2048),
  VersionId: z.string().optional(),
  VersionStage: z.string().optional(),
});

type GetSecretValueInput = z.output<typeof getSecretValueSchema>;

const notFound = (what: string): AwsError =>
  new AwsError("ResourceNotFoundException", `Secrets Manager can't find the specified ${what}.`);

const stagedVersions = ({ current, previous }: Secret): { stage: string; version: SecretVersion }[] => [
  { stage: "AWSCURRENT", version: current },
  ...(previous === undefined ? [] : [{ stage: "AWSPREVIOUS", version: previous }]),
];

/**
 * Handles GetSecretValue: the current version unless a stage or a version was requested.
 *
 *
 * @throws AwsError `ResourceNotFoundException` for an unknown secret, stage or version.
 */
const getSecretValue = (secrets: SecretStore, input: GetSecretValueInput): object => {
  const found = secrets.find(input.SecretId);
  if (found === undefined) throw notFound("secret");
  const stage = input.VersionStage ?? (input.VersionId === undefined ? "AWSCURRENT" : undefined);
  const match = stagedVersions(found.secret).find(
    (candidate) =>
      (stage === undefined || candidate.stage === stage) &&
      (input.VersionId === undefined || candidate.version.versionId === input.VersionId),
  );
  if (match === undefined) {
    throw notFound(
      stage === undefined
        ? `secret value for VersionId: ${input.VersionId}`
        : `secret value for staging label: ${stage}`,
    );
  }
  return {
    ARN: secretArn(found.name),
    Name: found.name,
    VersionId: match.version.versionId,
    SecretString: match.version.value,
    VersionStages: [match.stage],
    // The protocol writes times as seconds.
    CreatedDate: match.version.createdAt / 1000,
  };
};

const putSecretValueSchema = z.object({
  SecretId: z.string().min(1).max(2048),
  SecretString: z.string().min(1).max(65_536),
});

/**
 * Handles PutSecretValue: the new value becomes the current one, and the current one the previous.
 *
 * @throws AwsError `ResourceNotFoundException` for an unknown secret.
 */
const putSecretValue = (secrets: SecretStore, input: z.output<typeof putSecretValueSchema>): object => {
  const found = secrets.find(input.SecretId);
  if (found === undefined) throw notFound("secret");
  const { versionId } = secrets.put(found.name, input.SecretString);
  return {
    ARN: secretArn(found.name),
    Name: found.name,
    VersionId: versionId,
    VersionStages: ["AWSCURRENT"],
  };
};

const named = z.object({ SecretId: z.string() });

/** @throws AwsError in the words of Secrets Manager unless the policies of the caller allow the operation. */
const requireAccess =
  (authority: Authority, secrets: SecretStore) =>
  (accessKeyId: string, operation: string, body: unknown): void => {
    if (authority.secretOf(accessKeyId) === undefined) {
      const message = "The security token included in the request is invalid.";
      throw new AwsError("UnrecognizedClientException", message);
    }
    const { SecretId = "*" } = named.safeParse(body).data ?? {};
    const found = secrets.find(SecretId);
    const resource = found ? secretArn(found.name) : SecretId;
    const denial = authority.denialOf(accessKeyId, [{ action: `secretsmanager:${operation}`, resource }]);
    if (denial) throw new AwsError("AccessDeniedException", denialMessage(denial));
  };

const maxBodyBytes = 65_536;

/** Secrets Manager on this machine: the program that starts it creates the secrets. */
export interface SecretsServer {
  readonly endpoint: string;
  /** Sets the current value when it differs; the earlier one becomes AWSPREVIOUS. */
  putSecret(name: string, value: string): void;
  /** Creates the secret with the value of `create()` when it does not exist yet, and returns the current value. */
  ensureSecret(name: string, create: () => string): string;
  close(): Promise<void>;
}

interface SecretsOptions {
  /** The folder of `secrets.json`, readable by its owner only; created when it is missing. */
  readonly dataDirectory: string;
  /** 0, the default, lets the system choose one. */
  readonly port?: number;
  /** Judges who may do what; without one, every key may do everything. */
  readonly authority?: Authority | undefined;
}

/** Starts the service on the loopback interface. */
export const startSecrets = async ({
  dataDirectory,
  port,
  authority,
}: SecretsOptions): Promise<SecretsServer> => {
  const secrets = new SecretStore(dataDirectory);
  const protocol = awsJsonProtocol({
    version: "1.1",
    target: "secretsmanager",
    operations: new Map([
      ["GetSecretValue", jsonOperation(getSecretValueSchema, (input) => getSecretValue(secrets, input))],
      ["PutSecretValue", jsonOperation(putSecretValueSchema, (input) => putSecretValue(secrets, input))],
    ]),
    maxBodyBytes: maxBodyBytes,
    refuse: (issue) => new AwsError("InvalidParameterException", `${issue.path.join(".")}: ${issue.message}`),
    errorType: (code) => code,
    ...(authority && { requireAccess: requireAccess(authority, secrets) }),
  });
  const server = await startAwsServer(protocol, port);
  return {
    endpoint: server.endpoint,
    putSecret: (name, value) => secrets.put(name, value),
    ensureSecret: (name, create) => secrets.ensure(name, create),
    close: () => server.close(),
  };
};

import { AwsError } from "../aws-protocol/aws-error.ts";
import { awsJsonProtocol, jsonOperation } from "../aws-protocol/aws-json.ts";
import { startAwsServer } from "../aws-protocol/aws-server.ts";
import { getSecretValue, getSecretValueSchema } from "./get-secret-value.ts";
import { SecretStore } from "./secret-store.ts";

const MAXIMUM_BODY_BYTES = 65_536;

/** Secrets Manager on this machine, for reading: the values are put by whoever starts it. */
export interface SecretsServer {
  readonly endpoint: string;
  /** Sets the current value when it differs; the earlier one becomes AWSPREVIOUS. */
  putSecret(name: string, value: string): void;
  /** Creates the secret with the value of `create()` when it does not exist yet, and returns the current value. */
  ensureSecret(name: string, create: () => string): string;
  close(): Promise<void>;
}

export interface SecretsOptions {
  /** Where `secrets.json` is kept, readable by its owner only; made when it is missing. */
  readonly dataDirectory: string;
  /** 0, the default, lets the system choose one. */
  readonly port?: number;
}

/** Starts the service on the loopback interface. */
export const startSecrets = async ({ dataDirectory, port }: SecretsOptions): Promise<SecretsServer> => {
  const secrets = new SecretStore(dataDirectory);
  const protocol = awsJsonProtocol({
    version: "1.1",
    target: "secretsmanager",
    operations: new Map([
      ["GetSecretValue", jsonOperation(getSecretValueSchema, (input) => getSecretValue(secrets, input))],
    ]),
    maximumBodyBytes: MAXIMUM_BODY_BYTES,
    refuse: (issue) => new AwsError("InvalidParameterException", `${issue.path.join(".")}: ${issue.message}`),
    errorType: (code) => code,
  });
  const server = await startAwsServer(protocol, port);
  return {
    endpoint: server.endpoint,
    putSecret: (name, value) => secrets.put(name, value),
    ensureSecret: (name, create) => secrets.ensure(name, create),
    close: () => server.close(),
  };
};

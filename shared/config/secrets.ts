import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";

const client = new SecretsManagerClient({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
});

/**
 * A secret's value from AWS Secrets Manager.
 *
 * @param version `AWSPREVIOUS` is the value before the last rotation.
 * @returns `undefined` when the secret has no such version.
 */
export const readSecret = async (
  secretId: string,
  version: "AWSCURRENT" | "AWSPREVIOUS" = "AWSCURRENT",
): Promise<string | undefined> => {
  try {
    const { SecretString } = await client.send(
      new GetSecretValueCommand({ SecretId: secretId, VersionStage: version }),
    );
    return SecretString;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
};

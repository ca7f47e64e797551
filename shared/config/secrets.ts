import * as z from "zod";
import { AwsCallError, openAwsJsonService } from "../outbound/aws-json.ts";

const secretsManager = openAwsJsonService("SecretsManager");

const secretValue = z.object({ SecretString: z.string().optional() });

/**
 * A secret's value from AWS Secrets Manager.
 *
 * @param version `AWSPREVIOUS` is the value before the last rotation.
 * @returns `undefined` when the secret has no such version.
 * @throws AwsCallError
 */
export const readSecret = async (
  secretId: string,
  version: "AWSCURRENT" | "AWSPREVIOUS" = "AWSCURRENT",
): Promise<string | undefined> => {
  try {
    const answer = await secretsManager.call("GetSecretValue", { SecretId: secretId, VersionStage: version });
    return secretValue.parse(answer).SecretString;
  } catch (error) {
    if (error instanceof AwsCallError && error.name === "ResourceNotFoundException") return undefined;
    throw error;
  }
};

import * as z from "zod";
import { AwsError } from "../aws-protocol/aws-error.ts";
import { secretArn } from "./secret-arn.ts";
import type { Secret, SecretStore, SecretVersion } from "./secret-store.ts";

export const getSecretValueSchema = z.object({
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
 * Answers GetSecretValue: the current version unless a stage or a version was asked for.
 *
 * @throws AwsError `ResourceNotFoundException` for an unknown secret, stage or version.
 */
export const getSecretValue = (secrets: SecretStore, input: GetSecretValueInput): object => {
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

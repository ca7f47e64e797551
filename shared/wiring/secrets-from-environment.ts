import * as z from "zod";
import { createPlatformSecretSource, type PlatformSecretSource } from "../messaging/platform-secrets.ts";
import {
  awsConfigOf,
  type PlatformEnvironment,
  type platformSecretsEnvironment,
  type secondFactorEnvironment,
  type tokenEnvironment,
} from "../platform/config/environment.ts";
import { clientSecrets, type identityProvidersEnvironment } from "../platform/config/identity-providers.ts";
import {
  cacheSecret,
  createSecretReader,
  type ReadSecret,
  type SecretVersion,
} from "../platform/config/secrets.ts";
import type { VariableValues } from "../platform/config/variables.ts";
import { openAwsJsonService } from "../platform/outbound/aws-json.ts";

/** Reads secrets. */
export const secretReaderFrom = (environment: PlatformEnvironment): ReadSecret =>
  createSecretReader(openAwsJsonService("SecretsManager", awsConfigOf(environment)));

/** Reads the canary's key, again each time: an operator may have changed it. */
export const canaryKeyFrom = (
  environment: PlatformEnvironment & { readonly CANARY_SECRET_ID: string },
): (() => Promise<string | undefined>) => {
  const read = secretReaderFrom(environment);
  const canarySecret = z.object({ key: z.string().optional() });
  return async () => canarySecret.parse(JSON.parse((await read(environment.CANARY_SECRET_ID)) ?? "{}")).key;
};

/** Reads a version of the secret that signs tokens. */
export const signingSecretFrom = (
  environment: PlatformEnvironment & VariableValues<typeof tokenEnvironment>,
): ((version: SecretVersion) => Promise<string | undefined>) => {
  const read = secretReaderFrom(environment);
  return (version) => read(environment.TOKEN_SECRET_ID, version);
};

/** Reads the current or previous value of the secret that seals second factors. */
export const factorSecretFrom = (
  environment: PlatformEnvironment & VariableValues<typeof secondFactorEnvironment>,
): ((version: SecretVersion) => Promise<string | undefined>) => {
  const read = secretReaderFrom(environment);
  return (version) => read(environment.SECOND_FACTOR_SECRET_ID, version);
};

/** The verify token, app secret and access token of the messaging platform. */
export const platformSecretsFrom = (
  environment: PlatformEnvironment & VariableValues<typeof platformSecretsEnvironment>,
): PlatformSecretSource => {
  const read = secretReaderFrom(environment);
  return createPlatformSecretSource((version) => read(environment.MESSAGING_SECRET_ID, version));
};

/** The client secrets at the identity providers, read at the first sign-in, and again after five minutes. */
export const clientSecretsFrom = (
  environment: PlatformEnvironment &
    Pick<VariableValues<typeof identityProvidersEnvironment>, "IDENTITY_PROVIDERS_SECRET_ID">,
) => {
  const read = secretReaderFrom(environment);
  return cacheSecret({
    name: "identity providers",
    load: async () =>
      clientSecrets.parse(JSON.parse((await read(environment.IDENTITY_PROVIDERS_SECRET_ID)) ?? "{}")),
  });
};

import { minuteMilliseconds } from "../durations.ts";
import { AwsCallError, type AwsJsonService } from "../outbound/aws-json.ts";
import { describeError, logger } from "../telemetry/logger.ts";

/** `AWSPREVIOUS` is the value before the last rotation. */
export type SecretVersion = "AWSCURRENT" | "AWSPREVIOUS";

/** Reads a secret's value, or `undefined` when it has no such version. Rejects with an AwsCallError. */
export type ReadSecret = (secretId: string, version?: SecretVersion) => Promise<string | undefined>;

export const createSecretReader =
  (secretsManager: AwsJsonService): ReadSecret =>
  async (secretId, version = "AWSCURRENT") => {
    try {
      const result = await secretsManager.call("GetSecretValue", {
        SecretId: secretId,
        VersionStage: version,
      });
      const hasText = typeof result === "object" && result !== null && "SecretString" in result;
      return hasText && typeof result.SecretString === "string" ? result.SecretString : undefined;
    } catch (error) {
      if (error instanceof AwsCallError && error.name === "ResourceNotFoundException") return undefined;
      throw error;
    }
  };

/** A secret's value, cached in memory. */
export interface CachedSecret<Value> {
  /** Returns the cached value; reads it on first use, and again after five minutes. */
  get(): Promise<Value>;
  /** Reads the value again, unless it was read less than a minute ago. */
  reload(): Promise<Value>;
}

export interface CachedSecretOptions<Value> {
  /** Names the secret in the log. */
  readonly name: string;
  readonly load: () => Promise<Value>;
}

/** After this time `get` reads a secret again, so that a replaced one needs no deployment, and a leaked one is of no use. */
const maxAgeMilliseconds = 5 * minuteMilliseconds;

/** Neither forged tokens nor an outage make a function read a secret more often. */
const minIntervalMilliseconds = minuteMilliseconds;

/**
 * Caches a secret's value. When it cannot be read again, the last good value stays in use and is read again a minute
 * later: an outage of Secrets Manager must not disable a key that still works.
 *
 * `get` and `reload` reject only while no value has ever been read; the next call then tries again.
 */
export const cacheSecret = <Value>({ name, load }: CachedSecretOptions<Value>): CachedSecret<Value> => {
  let lastGood: { readonly value: Value; readonly readAt: number } | undefined;
  let requestedAt = Number.NEGATIVE_INFINITY;
  let loading: Promise<Value> | undefined;

  const loadOrKeep = async (): Promise<Value> => {
    requestedAt = performance.now();
    try {
      const value = await load();
      lastGood = { value, readAt: requestedAt };
      return value;
    } catch (error) {
      if (!lastGood) throw error;
      logger.warn("secret.not_refreshed", { secret: name, reason: describeError(error) });
      return lastGood.value;
    }
  };

  const valueWithin = async (ageMilliseconds: number): Promise<Value> => {
    const now = performance.now();
    if (lastGood && now - lastGood.readAt < ageMilliseconds) return lastGood.value;
    const wasJustRequested = !loading && now - requestedAt < minIntervalMilliseconds;
    if (lastGood && wasJustRequested) return lastGood.value;
    loading ??= loadOrKeep().finally(() => {
      loading = undefined;
    });
    return loading;
  };

  return {
    get: () => valueWithin(maxAgeMilliseconds),
    reload: () => valueWithin(minIntervalMilliseconds),
  };
};

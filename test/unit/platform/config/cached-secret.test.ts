import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createSigningKeySource, createTokens } from "../../../../shared/accounts/access/tokens.ts";
import { inferenceKeysIn } from "../../../../shared/models/inference/inference-keys.ts";
import { cacheSecret, createSecretReader } from "../../../../shared/platform/config/secrets.ts";
import { AwsCallError } from "../../../../shared/platform/outbound/aws-json.ts";
import { logger } from "../../../../shared/platform/telemetry/logger.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
  vi.spyOn(logger, "warn").mockReturnValue();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const fiveMinutes = 5 * 60_000;
const outage = () => Promise.reject(new Error("Secrets Manager does not answer."));

const setUp = () => {
  const load = vi.fn<() => Promise<string>>().mockResolvedValue("one");
  return { load, secret: cacheSecret({ name: "example", load }) };
};

describe("a cached secret", () => {
  it("is read once for all who ask at the same time", async () => {
    const { load, secret } = setUp();
    expect(await Promise.all([secret.get(), secret.get(), secret.reload()])).toEqual(["one", "one", "one"]);
    expect(load).toHaveBeenCalledOnce();
  });

  it("is read again once it is too old, and not before", async () => {
    const { load, secret } = setUp();
    await secret.get();
    load.mockResolvedValue("two");
    vi.advanceTimersByTime(fiveMinutes - 1);
    expect(await secret.get()).toBe("one");
    vi.advanceTimersByTime(1);
    expect(await secret.get()).toBe("two");
  });

  it("is read earlier on demand, at most once a minute", async () => {
    const { load, secret } = setUp();
    await secret.get();
    load.mockResolvedValue("two");
    vi.advanceTimersByTime(59_999);
    expect(await secret.reload()).toBe("one");
    vi.advanceTimersByTime(1);
    expect(await secret.get()).toBe("one");
    expect(await secret.reload()).toBe("two");
    expect(load).toHaveBeenCalledTimes(2);
  });

  it("stays in use when it cannot be read again, and is read again after a minute", async () => {
    const { load, secret } = setUp();
    await secret.get();
    vi.advanceTimersByTime(fiveMinutes);
    load.mockImplementation(outage);
    expect(await secret.get()).toBe("one");
    expect(logger.warn).toHaveBeenCalledExactlyOnceWith("secret.not_refreshed", {
      secret: "example",
      reason: expect.objectContaining({ message: "Secrets Manager does not answer." }),
    });
    vi.advanceTimersByTime(59_999);
    expect([await secret.get(), await secret.reload()]).toEqual(["one", "one"]);
    expect(load).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(1);
    load.mockResolvedValue("two");
    expect(await secret.get()).toBe("two");
  });

  it("delays no one who does not need a reload", async () => {
    const { load, secret } = setUp();
    await secret.get();
    vi.advanceTimersByTime(60_000);
    load.mockReturnValue(new Promise(() => undefined));
    void secret.reload();
    expect(await secret.get()).toBe("one");
  });

  it("that was never read is read each time", async () => {
    const { load, secret } = setUp();
    load.mockImplementation(outage);
    await expect(secret.get()).rejects.toThrow("does not answer");
    await expect(secret.reload()).rejects.toThrow("does not answer");
    load.mockResolvedValue("one");
    expect(await secret.get()).toBe("one");
    expect(logger.warn).not.toHaveBeenCalled();
  });
});

describe("the key of a model's server", () => {
  const keys = { chat: "c", speech: "s", note: ["of the operator"] };

  it("is the server's own, or that of a substitute, and none where it says so", async () => {
    const read = async () => JSON.stringify(keys);
    expect(await inferenceKeysIn("id", read)("speech")).toBe("s");
    expect(await inferenceKeysIn("id", read)("transcription")).toBeUndefined();
    expect(await inferenceKeysIn("id", read)("translation")).toBeUndefined();
    expect(await inferenceKeysIn("id", read)("translation", { substitute: "chat" })).toBe("c");
    const withOwn = (translation: string) => async () => JSON.stringify({ ...keys, translation });
    expect(await inferenceKeysIn("id", withOwn("t"))("translation", { substitute: "chat" })).toBe("t");
    expect(
      await inferenceKeysIn("id", withOwn("none"))("translation", { substitute: "chat" }),
    ).toBeUndefined();
  });

  it("is undefined while the operator has not filled it in", async () => {
    expect(await inferenceKeysIn("id", async () => undefined)("chat")).toBeUndefined();
  });

  it("is read during the function's start, and again when that failed", async () => {
    const read = vi.fn(async (_secretId: string): Promise<string | undefined> => JSON.stringify(keys));
    read.mockImplementationOnce(outage);
    const keyOf = inferenceKeysIn("id", read);
    const key = () => keyOf("chat");
    expect(read).toHaveBeenCalledExactlyOnceWith("id");
    await Promise.resolve();
    await expect(key().catch(() => key())).resolves.toBe("c");
  });

  it("outlives an outage of Secrets Manager, and what an operator writes by mistake", async () => {
    const read = vi.fn(async (): Promise<string | undefined> => JSON.stringify(keys));
    const keyOf = inferenceKeysIn("id", read);
    const key = () => keyOf("chat");
    expect(await key()).toBe("c");
    vi.advanceTimersByTime(fiveMinutes);
    read.mockImplementation(outage);
    expect(await key()).toBe("c");
    vi.advanceTimersByTime(60_000);
    read.mockResolvedValue("no JSON");
    expect(await key()).toBe("c");
    vi.advanceTimersByTime(60_000);
    read.mockResolvedValue(JSON.stringify({ chat: "new" }));
    expect(await key()).toBe("new");
  });
});

describe("an outage of Secrets Manager that lasts an hour", () => {
  const newest = "current-secret-of-more-than-thirty-two-bytes";
  const before = "previous-secret-of-more-than-thirty-two-bytes";
  const signedWith = (secret: string) => createTokens(createSigningKeySource(async () => secret));
  const claims = { userId: 7, tokenId: "token-1", tokenEpoch: 0 };

  it("causes no failure: tokens of both keys are valid, forged ones fail, models are called with their key", async () => {
    let isOut = false;
    const signingSecrets: Record<string, string> = { AWSCURRENT: newest, AWSPREVIOUS: before };
    const readSigning = vi.fn(async (version: string) => (isOut ? outage() : signingSecrets[version]));
    const readInference = vi.fn(async () => (isOut ? outage() : JSON.stringify({ chat: "c" })));
    const tokens = createTokens(createSigningKeySource(readSigning));
    const keyOf = inferenceKeysIn("id", readInference);
    const chatKey = () => keyOf("chat");
    const forger = signedWith("secret-of-a-forger-of-more-than-thirty-two-bytes");
    await tokens.sign(claims, undefined);
    await chatKey();
    const requested = readSigning.mock.calls.length;

    isOut = true;
    const round = async (at: number) => ({
      forged: await tokens.verify(await forger.sign({ ...claims, tokenId: `${at}` }, undefined)),
      own: await tokens.verify(await tokens.sign({ ...claims, tokenId: `own-${at}` }, undefined)),
      older: await tokens.verify(
        await signedWith(before).sign({ ...claims, tokenId: `old-${at}` }, undefined),
      ),
      key: await chatKey(),
    });
    for (let minute = 0; minute < 60; minute += 0.5) {
      vi.advanceTimersByTime(30_000);
      expect(await round(minute)).toEqual({
        forged: undefined,
        own: { userId: 7, tokenId: `own-${minute}`, tokenEpoch: 0 },
        older: { userId: 7, tokenId: `old-${minute}`, tokenEpoch: 0 },
        key: "c",
      });
    }
    // However many tokens are forged: once a minute, for two versions.
    expect(readSigning.mock.calls.length - requested).toBeLessThanOrEqual(2 * 60);
    expect(readSigning.mock.calls.length - requested).toBeGreaterThan(60);

    isOut = false;
    signingSecrets["AWSCURRENT"] = "rotated-secret-of-more-than-thirty-two-bytes";
    signingSecrets["AWSPREVIOUS"] = newest;
    vi.advanceTimersByTime(60_000);
    const rotated = await signedWith(signingSecrets["AWSCURRENT"]).sign(claims, undefined);
    expect(await tokens.verify(rotated)).toEqual(claims);
  });
});

describe("a secret in Secrets Manager", () => {
  const call = vi.fn<(operation: string, input: object) => Promise<unknown>>();
  const readSecret = createSecretReader({ call });
  const refusal = (name: string) => new AwsCallError(name, "No.", { $metadata: { httpStatusCode: 400 } });

  it("is read by its id and version", async () => {
    call.mockResolvedValue({ SecretString: "value", Name: "example" });
    expect(await readSecret("id", "AWSPREVIOUS")).toBe("value");
    expect(await readSecret("id")).toBe("value");
    expect(call.mock.calls).toEqual([
      ["GetSecretValue", { SecretId: "id", VersionStage: "AWSPREVIOUS" }],
      ["GetSecretValue", { SecretId: "id", VersionStage: "AWSCURRENT" }],
    ]);
  });

  it("may have no such version, or no text", async () => {
    call.mockRejectedValueOnce(refusal("ResourceNotFoundException"));
    expect(await readSecret("id", "AWSPREVIOUS")).toBeUndefined();
    call.mockResolvedValueOnce({});
    expect(await readSecret("id", "AWSCURRENT")).toBeUndefined();
  });

  it("that must not be read is an error", async () => {
    call.mockRejectedValueOnce(refusal("AccessDeniedException"));
    await expect(readSecret("id", "AWSCURRENT")).rejects.toMatchObject({
      name: "AccessDeniedException",
    });
    call.mockRejectedValueOnce(new Error("ResourceNotFoundException"));
    await expect(readSecret("id", "AWSCURRENT")).rejects.toThrow("ResourceNotFoundException");
  });
});

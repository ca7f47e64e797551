import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  GetSecretValueCommand,
  ListSecretsCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { secretArn } from "../src/secrets/secret-arn.ts";
import { type SecretsServer, startSecrets } from "../src/secrets/secrets-server.ts";

let dataDirectory: string;
let secrets: SecretsServer;
let client: SecretsManagerClient;

beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), "secrets-test-"));
  await start();
});

afterEach(async () => {
  await stop();
  await rm(dataDirectory, { recursive: true });
});

const start = async (): Promise<void> => {
  secrets = await startSecrets({ dataDirectory });
  client = new SecretsManagerClient({
    endpoint: secrets.endpoint,
    region: "us-east-1",
    maxAttempts: 1,
    // One connection, so that every request meets what the one before it left there.
    requestHandler: { httpAgent: { keepAlive: true, maxSockets: 1 } },
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
};

const stop = async (): Promise<void> => {
  client.destroy();
  await secrets.close();
};

const get = (SecretId: string, options: { VersionStage?: string; VersionId?: string } = {}) =>
  client.send(new GetSecretValueCommand({ SecretId, ...options }));

describe("A secret of the embedded Secrets Manager", () => {
  it("is read by its name, by its ARN, and by its ARN without the suffix", async () => {
    const createdAt = new Date("2026-11-20T12:00:00Z");
    vi.useFakeTimers({ toFake: ["Date"], now: createdAt });
    secrets.putSecret("local/token-signing", "s3cret ŋ");
    vi.useRealTimers();
    const byName = await get("local/token-signing");

    expect(byName).toMatchObject({
      Name: "local/token-signing",
      ARN: secretArn("local/token-signing"),
      SecretString: "s3cret ŋ",
      VersionStages: ["AWSCURRENT"],
      CreatedDate: createdAt,
    });
    expect((await get(secretArn("local/token-signing"))).SecretString).toBe("s3cret ŋ");
    expect((await get(secretArn("local/token-signing").slice(0, -7))).SecretString).toBe("s3cret ŋ");
  });

  it("gets a new value through the API, if it exists", async () => {
    secrets.putSecret("rotated", "first");
    const put = (SecretId: string) =>
      client.send(new PutSecretValueCommand({ SecretId, SecretString: "second" }));
    expect(await put(secretArn("rotated"))).toMatchObject({ Name: "rotated", VersionStages: ["AWSCURRENT"] });
    expect((await get("rotated")).SecretString).toBe("second");
    expect((await get("rotated", { VersionStage: "AWSPREVIOUS" })).SecretString).toBe("first");
    await expect(put("unknown")).rejects.toMatchObject({ name: "ResourceNotFoundException" });
  });

  it("keeps its earlier value as the previous version when it is changed", async () => {
    secrets.putSecret("rotated", "first");
    await expect(get("rotated", { VersionStage: "AWSPREVIOUS" })).rejects.toMatchObject({
      name: "ResourceNotFoundException",
    });
    secrets.putSecret("rotated", "second");
    secrets.putSecret("rotated", "third");

    expect((await get("rotated")).SecretString).toBe("third");
    const previous = await get("rotated", { VersionStage: "AWSPREVIOUS" });
    expect(previous).toMatchObject({ SecretString: "second", VersionStages: ["AWSPREVIOUS"] });
    expect((await get("rotated", { VersionId: previous.VersionId ?? "" })).SecretString).toBe("second");
  });

  it("stays the same version when it is put again with the same value", async () => {
    secrets.putSecret("unchanged", "first");
    secrets.putSecret("unchanged", "second");
    const { VersionId } = await get("unchanged");
    secrets.putSecret("unchanged", "second");

    expect((await get("unchanged")).VersionId).toBe(VersionId);
    expect((await get("unchanged", { VersionStage: "AWSPREVIOUS" })).SecretString).toBe("first");
  });

  it("is created once and keeps the value it was created with", async () => {
    expect(secrets.ensureSecret("generated", () => "made once")).toBe("made once");
    expect(
      secrets.ensureSecret("generated", () => {
        throw new Error("The secret exists already.");
      }),
    ).toBe("made once");
    expect((await get("generated")).SecretString).toBe("made once");
  });

  it("is stored with its versions across a restart", async () => {
    secrets.putSecret("kept", "first");
    secrets.putSecret("kept", "second");
    const { VersionId } = await get("kept");
    await stop();
    await start();

    expect(await get("kept")).toMatchObject({ SecretString: "second", VersionId });
    expect((await get("kept", { VersionStage: "AWSPREVIOUS" })).SecretString).toBe("first");
    expect(secrets.ensureSecret("kept", () => "third")).toBe("second");
  });

  it("is in a file that only its owner can read, even if a file remained with another mode", async () => {
    await writeFile(join(dataDirectory, "secrets.json.new"), "left over", { mode: 0o644 });
    secrets.putSecret("private", "s3cret");
    const file = join(dataDirectory, "secrets.json");

    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, "utf8")).toContain("s3cret");
  });

  it.each([
    ["an unknown name", "unknown", {}],
    ["the ARN of an unknown secret", secretArn("unknown"), {}],
    ["an unknown stage", "known", { VersionStage: "AWSPENDING" }],
    ["an unknown version", "known", { VersionId: "00000000-0000-0000-0000-000000000000" }],
  ])("is not found under %s", async (_what, identifier, options) => {
    secrets.putSecret("known", "value");
    await expect(get(identifier, options)).rejects.toMatchObject({ name: "ResourceNotFoundException" });
  });

  it("is refused without a signature", async () => {
    secrets.putSecret("known", "value");
    const response = await fetch(secrets.endpoint, {
      method: "POST",
      headers: { "x-amz-target": "secretsmanager.GetSecretValue" },
      body: JSON.stringify({ SecretId: "known" }),
    });

    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ __type: "MissingAuthenticationTokenException" });
  });

  it("is all that the service returns: other operations and malformed requests are refused", async () => {
    const call = (body: string) =>
      fetch(secrets.endpoint, {
        method: "POST",
        headers: { authorization: "AWS4-HMAC-SHA256 x", "x-amz-target": "secretsmanager.GetSecretValue" },
        body,
      }).then((response) => response.json());

    await expect(client.send(new ListSecretsCommand({}))).rejects.toMatchObject({
      name: "UnknownOperationException",
    });
    expect(await call("{}")).toMatchObject({ __type: "InvalidParameterException" });
    expect(await call("{not json")).toMatchObject({ __type: "SerializationException" });
  });

  it("is still given at once on the connection of a request that was refused for its size", {
    timeout: 4000,
  }, async () => {
    secrets.putSecret("known", "value");
    await expect(get("x".repeat(5_000_000))).rejects.toMatchObject({ name: "RequestEntityTooLarge" });

    expect((await get("known")).SecretString).toBe("value");
  });

  it("is never quoted by the error about a damaged file", async () => {
    await writeFile(join(dataDirectory, "secrets.json"), '{"name": "s3cret"');

    await expect(startSecrets({ dataDirectory })).rejects.toThrow(
      /^(?!.*s3cret).*not a valid file of secrets/,
    );
  });
});

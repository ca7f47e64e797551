import { randomBytes } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import {
  createFactorKeySource,
  createFactorSecrets,
} from "../../../../shared/accounts/second-factor/factor-secrets.ts";

const keys = ["first", "second", "third"].map((name) => `the ${name} key of tests, which is long enough`);
const [first, second, third] = keys;

const secretsWith = (current: string | undefined, previous?: string) =>
  createFactorSecrets(
    createFactorKeySource(async (version) => (version === "AWSCURRENT" ? current : previous)),
  );

describe("The secret of a second factor", () => {
  const secret = randomBytes(20);

  it("opens for its account only", async () => {
    const secrets = secretsWith(first);
    const sealed = await secrets.seal(secret, 7);
    expect(sealed).not.toContain(secret.toString("base64"));
    expect(await secrets.open(sealed, 7)).toEqual({ secret, isOld: false });
    await expect(secrets.open(sealed, 8)).rejects.toThrow("cannot be opened");
    expect(await secrets.seal(secret, 7)).not.toBe(sealed);
  });

  it("opens after its key was replaced once, and not after twice", async () => {
    const sealed = await secretsWith(first).seal(secret, 7);
    expect(await secretsWith(second, first).open(sealed, 7)).toEqual({ secret, isOld: true });
    await expect(secretsWith(third, second).open(sealed, 7)).rejects.toThrow("cannot be opened");
  });

  it("opens when another process has sealed it with a newer key", async () => {
    const current = vi.fn(() => first);
    const secrets = createFactorSecrets(
      createFactorKeySource(async (version) => (version === "AWSCURRENT" ? current() : undefined)),
    );
    const clock = vi.spyOn(performance, "now").mockReturnValue(0);
    await secrets.seal(secret, 7);
    clock.mockReturnValue(120_000);
    current.mockReturnValue(second);
    const sealed = await secretsWith(second).seal(secret, 7);
    expect(await secrets.open(sealed, 7)).toEqual({ secret, isOld: false });
    clock.mockRestore();
  });

  it("is never sealed with a key that is missing or too short", async () => {
    for (const short of [undefined, "", "short"])
      await expect(secretsWith(short).seal(secret, 7)).rejects.toThrow("fewer than 32 bytes");
  });
});

import { beforeEach, describe, expect, it } from "vitest";
import {
  replaceWebhookSecretOperation,
  webhookSecretOperation,
} from "../../functions/auth/webhook-secret.ts";
import { call, createAccount, expectDeclared, expectError, type TestAccount } from "../support/client.ts";

let owner: TestAccount;
beforeEach(async () => {
  owner = await createAccount();
});

const show = async (token: string) => {
  const response = await call("/auth/webhook-secret", { token });
  expectDeclared(webhookSecretOperation, response);
  expect(response.headers.get("cache-control")).toBe("no-store");
  return response.body.secret;
};

describe("The secret of callbacks", () => {
  it("stays the same until it is replaced", async () => {
    const first = await show(owner.token);
    expect(first).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await show(owner.token)).toBe(first);
    const response = await call("/auth/webhook-secret", { token: owner.token, method: "POST" });
    expectDeclared(replaceWebhookSecretOperation, response);
    expect(response.body.secret).not.toBe(first);
    expect(await show(owner.token)).toBe(response.body.secret);
  });

  it("is its account's own, and no key's", async () => {
    const other = await createAccount();
    expect(await show(other.token)).not.toBe(await show(owner.token));
    const { body } = await call("/auth/keys", { token: owner.token, body: { name: "a program" } });
    for (const method of ["GET", "POST"]) {
      const refused = await call("/auth/webhook-secret", { token: body.key, method });
      expectError(refused, 403, "insufficient_scope");
    }
    expectError(await call("/auth/webhook-secret"), 401, "unauthenticated");
  });
});

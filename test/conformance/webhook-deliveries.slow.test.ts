import { beforeEach, describe, expect, it } from "vitest";
import {
  resendWebhookOperation,
  testWebhookOperation,
  webhookDeliveriesOperation,
} from "../../functions/auth/webhook-deliveries.ts";
import { call, createAccount, expectDeclared, expectError, type TestAccount } from "../support/client.ts";
import { signUp } from "../support/form-visitor.ts";

let owner: TestAccount;
beforeEach(async () => {
  owner = await createAccount();
});

const url = "https://receiver.invalid/hook";
const list = async (token: string) => {
  const response = await call("/auth/webhook-deliveries", { token });
  expectDeclared(webhookDeliveriesOperation, response);
  return response.body.deliveries;
};
const test = (token: string, to: string) => call("/auth/webhook-test", { token, body: { url: to } });
const resend = (token: string, id: string) =>
  call(`/auth/webhook-deliveries/${id}/resend`, { token, method: "POST" });

describe("A test event", () => {
  it("is sent once, and listed with its outcome", async () => {
    expect(await list(owner.token)).toEqual([]);
    const response = await test(owner.token, url);
    expect(response.status).toBe(202);
    expectDeclared(testWebhookOperation, response);
    await expect.poll(() => list(owner.token), { timeout: 15_000 }).toHaveLength(1);
    expect(await list(owner.token)).toEqual([
      {
        id: response.body.id,
        event: "webhook.test",
        url,
        status: "failed",
        deliveries: [{ at: expect.any(String), error: "The host name has no address." }],
      },
    ]);
    // Another account sees nothing of it, and can send nothing of it again.
    const other = await createAccount();
    expect(await list(other.token)).toEqual([]);
    for (const { token } of [owner, other])
      expectError(await resend(token, response.body.id), 404, "not_found");
  });

  it.each(["http://example.org/", "https://10.0.0.1/", "https://localhost/", "no address", ""])(
    "is not sent to %j",
    async (to) => {
      const { status, body } = await test(owner.token, to);
      expect(status).toBe(422);
      expect(body.detail).toMatchObject([{ loc: ["body", "url"] }]);
    },
  );

  it("and everything about callbacks needs the account itself, not a key", async () => {
    const { key } = (await call("/auth/keys", { token: owner.token, body: { name: "a program" } })).body;
    for (const refused of [
      await test(key, url),
      await resend(key, "x"),
      await call("/auth/webhook-deliveries", { token: key }),
    ])
      expectError(refused, 403, "insufficient_scope");
  });
});

describe("A callback that is sent again", () => {
  it.each(["unknown", "01931d5e-7a00-7c3a-9b1d-4d2f0c8e6a11"])(
    "is one of the account's jobs: not %s",
    async (id) => {
      const response = await resend(owner.token, id);
      expectError(response, 404, "not_found");
      expectDeclared(resendWebhookOperation, response);
    },
  );
});

describe("The page of webhooks", () => {
  const page = "/console/account?section=webhooks";

  it("sends a test event and shows its attempts, without a script", async () => {
    const { visitor } = await signUp();
    const empty = await visitor.open(page);
    expect(empty.html).toContain("No events yet.");
    const wrong = await visitor.send(empty, "/console/account", {
      action: "test-webhook",
      url: "http://example.org/",
    });
    expect(wrong.html).toContain("The URL must start with https://.");
    const sent = await visitor.send(empty, "/console/account", { action: "test-webhook", url });
    expect(sent.path).toBe(`${page}&done=tested`);
    expect(sent.html).toContain("The test event is on its way.");
    await expect
      .poll(async () => (await visitor.open(page)).html, { timeout: 15_000 })
      .toContain("webhook.test");
    const { html } = await visitor.open(page);
    expect(html).toContain("The host name has no address.");
    expect(html).toMatch(/class="badge bad">Failed/);
    // A test is not sent again; another one is.
    expect(html).not.toContain("Send again</button>");
  });
});

import { afterEach, describe, expect, it, vi } from "vitest";
import { webhookEndpoints } from "../../../functions/webhook/endpoints.ts";
import { createReadingLimit } from "../../../shared/accounts/limits/reading-limit.ts";
import { send } from "../../support/send.ts";

const ask = (query: Record<string, string>, verifyToken: string | undefined = "the-token") => {
  const versions = {
    current: verifyToken === undefined ? {} : { verify_token: verifyToken },
    previous: { verify_token: "the-old-token" },
  };
  const never = async () => {
    throw new Error("Not needed for a verification.");
  };
  const endpoints = webhookEndpoints({
    secrets: { get: async () => versions, reload: async () => versions },
    signatureMode: "enforce",
    queue: { send: never },
    unsigned: createReadingLimit(),
    saveReceipt: never,
  });
  return send(endpoints, { method: "GET", path: "/tasks/webhook", query });
};

const right = { "hub.mode": "subscribe", "hub.challenge": "1158201444", "hub.verify_token": "the-token" };

afterEach(() => vi.restoreAllMocks());

describe("the platform's question whether the webhook is ours", () => {
  it("returns its challenge, as plain text", async () => {
    const response = await ask(right);
    expect(response).toMatchObject({ status: 200, body: "1158201444" });
    expect(response.headers["Content-Type"]).toBe("text/plain; charset=utf-8");
  });

  it.each([
    ["another token", { ...right, "hub.verify_token": "the-tokem" }],
    ["a longer token", { ...right, "hub.verify_token": "the-token-and-more" }],
    ["a shorter token", { ...right, "hub.verify_token": "the-toke" }],
    ["a token in capitals", { ...right, "hub.verify_token": "THE-TOKEN" }],
    ["the token before", { ...right, "hub.verify_token": "the-old-token" }],
    ["another mode", { ...right, "hub.mode": "unsubscribe" }],
    ["another mode and another token", { ...right, "hub.mode": "list", "hub.verify_token": "x" }],
  ])("is refused for %s", async (_what, query) => {
    expect(await ask(query)).toMatchObject({
      status: 403,
      body: {
        error: { code: "forbidden", message: "hub.mode or hub.verify_token is wrong." },
      },
    });
  });

  it.each(["hub.mode", "hub.challenge", "hub.verify_token"])("is refused without %s", async (name) => {
    const query = Object.fromEntries(Object.entries(right).filter(([key]) => key !== name));
    const refused = {
      status: 400,
      body: {
        error: {
          code: "bad_request",
          message: "hub.mode, hub.challenge and hub.verify_token are required.",
        },
      },
    };
    expect(await ask(query)).toMatchObject(refused);
    expect(await ask({ ...right, [name]: "" })).toMatchObject(refused);
  });

  it("is refused while no token has been configured", async () => {
    expect((await ask(right, "")).status).toBe(403);
    expect((await ask({ ...right, "hub.verify_token": "undefined" }, undefined)).status).toBe(403);
  });
});

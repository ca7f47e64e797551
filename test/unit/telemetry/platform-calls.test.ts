import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createGraphPlatform } from "../../../functions/messaging/graph-platform.ts";
import { logger } from "../../../shared/telemetry/logger.ts";
import { inRequestScope, openRequestScope } from "../../../shared/telemetry/request-scope.ts";
import { answering, type FakeBackend, resetting, startFakeBackend } from "../../support/fake-backend.ts";

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

let server: FakeBackend;
beforeEach(async () => {
  server = await startFakeBackend();
  vi.spyOn(logger, "warn").mockReturnValue();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await server.close();
});

/** Sends a message within the scope of another one. @returns what the other one's last line will say of it. */
const send = async () => {
  const secrets = async () => ({ current: { access_token: "token" }, previous: {} });
  const platform = createGraphPlatform({
    baseUrl: new URL(server.baseUrl).origin,
    version: "v26.0",
    secrets: { get: secrets, reload: secrets },
  });
  const scope = { ...openRequestScope(10_000), traceparent };
  await inRequestScope(scope, () =>
    platform.send(
      { phoneNumberId: "100", phone: "256700000001", sender: "256700000001" },
      { kind: "text", text: "Webale" },
      { quoting: undefined, reference: "ref" },
    ),
  );
  return scope.backends.fields();
};

const refusing = (code: number, status = 400) => answering(status, { error: { code } });

describe("A call to the messaging platform", () => {
  it("is measured, and part of the trace of the message it answers", async () => {
    server.behave(answering(200, { messages: [{ id: "wamid.out" }] }));
    expect(await send()).toEqual({ platform_milliseconds: expect.any(Number) });
    expect(server.received[0]?.headers["traceparent"]).toBe(traceparent);
  });

  it.each([
    ["breaks the connection", resetting],
    ["is ill", answering(500, "no")],
    ["no longer knows our token", refusing(190, 401)],
    ["has blocked our account", refusing(131_031)],
    ["finds us too fast", refusing(130_429)],
  ])("counts as failed when it %s", async (_case, behaviour) => {
    server.behave(behaviour);
    expect(await send()).toEqual({ platform_milliseconds: expect.any(Number), platform_failures: 1 });
  });

  it.each([
    ["the person cannot be reached", refusing(131_026)],
    ["something is wrong with the one message", refusing(100)],
  ])("does not count as failed when %s", async (_case, behaviour) => {
    server.behave(behaviour);
    expect(await send()).toEqual({ platform_milliseconds: expect.any(Number) });
  });
});

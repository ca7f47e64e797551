import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createGraphPlatform } from "../../../../functions/messaging/graph-platform.ts";
import type { MessagingPlatform } from "../../../../functions/messaging/messaging-platform.ts";
import { logger } from "../../../../shared/platform/telemetry/logger.ts";
import { inRequestScope, openRequestScope } from "../../../../shared/platform/telemetry/request-scope.ts";
import { joinTrace } from "../../../../shared/platform/telemetry/trace-context.ts";
import { type FakeBackend, resetting, responding, startFakeBackend } from "../../../support/fake-backend.ts";

const span = joinTrace("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");

let server: FakeBackend;
beforeEach(async () => {
  server = await startFakeBackend();
  vi.spyOn(logger, "warn").mockReturnValue();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await server.close();
});

const platformOf = () => {
  const secrets = async () => ({ current: { access_token: "token" }, previous: {} });
  return createGraphPlatform({
    baseUrl: new URL(server.baseUrl).origin,
    version: "v26.0",
    secrets: { get: secrets, reload: secrets },
  });
};

/** Does something with the platform within the scope of a message. @returns what the message's last line will say of it. */
const measured = async (work: (platform: MessagingPlatform) => Promise<unknown>) => {
  const scope = { ...openRequestScope(10_000), span };
  await inRequestScope(scope, () => work(platformOf())).catch(() => undefined);
  return scope.backends.fields();
};

/** Sends a message within the scope of another one. @returns what the other one's last line will say of it. */
const send = () =>
  measured((platform) =>
    platform.send(
      { phoneNumberId: "100", phone: "256700000001", sender: "256700000001" },
      { kind: "text", text: "Webale" },
      { quoting: undefined, reference: "ref" },
    ),
  );

const refusing = (code: number, status = 400) => responding(status, { error: { code } });

describe("A call to the messaging platform", () => {
  it("is measured, and part of the trace of its message", async () => {
    server.behave(responding(200, { messages: [{ id: "wamid.out" }] }));
    expect(await send()).toEqual({ platform_milliseconds: expect.any(Number) });
    expect(server.received[0]?.headers["traceparent"]).toBe(span?.traceparent);
  });

  it.each([
    ["breaks the connection", resetting],
    ["is ill", responding(500, "no")],
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

  const { signal } = new AbortController();
  const download = () => measured((platform) => platform.download("77", { signal }));
  const location = () => responding(200, { url: `${new URL(server.baseUrl).origin}/file` });
  const two = [expect.any(Number), expect.any(Number)];

  it("is measured twice when a file is looked up and fetched", async () => {
    server.behave(location(), responding(200, "OggS"));
    expect(await download()).toEqual({ platform_milliseconds: two });
    expect(server.received[0]?.headers["traceparent"]).toBe(span?.traceparent);
  });

  it.each([
    ["the file server is ill", responding(503, "no"), 1],
    ["the file server finds us too fast", responding(429, "no"), 1],
    ["the file server breaks the connection", resetting, 1],
    ["the file is gone", responding(404, "no"), undefined],
    ["the file was deleted", responding(410, "no"), undefined],
  ])("counts as failed, or not, when %s", async (_case, behaviour, failures) => {
    server.behave(location(), behaviour);
    expect(await download()).toEqual({
      platform_milliseconds: two,
      ...(failures === undefined ? {} : { platform_failures: failures }),
    });
  });

  it("is measured when a file is uploaded or typing is shown", async () => {
    server.behave(responding(200, { id: "4711" }));
    const note = { bytes: Buffer.from("OggS"), contentType: "audio/ogg", fileName: "voice.ogg" };
    expect(await measured((platform) => platform.upload({ phoneNumberId: "100" }, note, { signal }))).toEqual(
      {
        platform_milliseconds: expect.any(Number),
      },
    );
    expect(server.received[0]?.headers["traceparent"]).toBe(span?.traceparent);
    expect(await measured((platform) => platform.showTyping({ phoneNumberId: "100" }, "wamid.in"))).toEqual({
      platform_milliseconds: expect.any(Number),
    });
  });
});

import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { endpoint } from "../../../shared/http/endpoint.ts";
import { defineOperation } from "../../../shared/http/operation.ts";
import { Reply, ReplyWithHeaders } from "../../../shared/http/response.ts";
import { logger } from "../../../shared/platform/telemetry/logger.ts";
import { problemsOf } from "../../support/declared.ts";
import { exampleOperation } from "../../support/example-operation.ts";
import { send } from "../../support/send.ts";

const account = z.object({
  username: z.string(),
  email: z.email(),
  tokens: z.array(z.object({ id: z.string() })),
  preferences: z.looseObject({ language: z.string() }).optional(),
});

const operation = defineOperation({
  ...exampleOperation,
  id: "readAccount",
  method: "GET",
  path: "/account",
  auth: "public",
  response: { status: 201, description: "It", schema: account, otherContentTypes: ["text/html"] },
});

const declared = { username: "amina", email: "amina@example.com", tokens: [{ id: "t-1" }] };

type Given = Parameters<
  typeof endpoint<z.ZodUndefined, z.ZodUndefined, z.ZodUndefined, typeof account, "public">
>[1];
const get = (execute: Given) => send([endpoint(operation, execute)], { method: "GET", path: "/account" });

afterEach(() => {
  vi.restoreAllMocks();
});

describe("the result of an operation", () => {
  it("leaves with the status that is declared", async () => {
    expect(await get(() => declared)).toMatchObject({ status: 201, body: declared });
  });

  it("drops undeclared fields, at every depth", async () => {
    const stored = {
      ...declared,
      password_hash: "$argon2id$v=19$m=19456",
      tokens: [{ id: "t-1", secret: "hunter2" }],
    };
    expect((await get(() => stored)).body).toEqual(declared);
    expect((await get(async () => new ReplyWithHeaders(stored, {}))).body).toEqual(declared);
  });

  it("keeps what a schema allows that does not name all its members", async () => {
    const preferences = { language: "lug", theme: "dark" };
    expect((await get(() => ({ ...declared, preferences }))).body.preferences).toEqual(preferences);
  });

  it("may have headers of its own", async () => {
    const response = await get(() => new ReplyWithHeaders(declared, { "X-Diarization": "unavailable" }));
    expect(response).toMatchObject({ status: 201, body: declared });
    expect(response.headers).toMatchObject({
      "X-Diarization": "unavailable",
      "Content-Type": "application/json",
    });
  });

  it("that breaks its schema is an error of the service, and the log says where and not what", async () => {
    const log = vi.spyOn(logger, "error").mockReturnValue();
    const broken = { ...declared, email: "hunter2", tokens: [{ id: "hunter2" }, z.any().parse({})] };
    const response = await get(() => broken);
    expect(response).toMatchObject({ status: 500, body: { error: { code: "internal" } } });
    expect(log).toHaveBeenCalledExactlyOnceWith("request.failed", {
      request_id: response.headers["X-Request-Id"],
      operation: "readAccount",
      code: "internal",
      reason: expect.objectContaining({
        message:
          "The result of readAccount breaks its response schema. email: invalid_format; tokens.1.id: invalid_type",
      }),
    });
    expect(JSON.stringify([log.mock.calls, response.body])).not.toContain("hunter2");
  });

  it("cannot go past its schema as text", async () => {
    vi.spyOn(logger, "error").mockReturnValue();
    const text = JSON.stringify({ ...declared, password_hash: "$argon2id$" });
    const response = await get(() => new Reply({ contentType: "application/json", body: text }));
    expect(response).toMatchObject({ status: 500, body: { error: { code: "internal" } } });
    const page = await get(
      () => new Reply({ contentType: "text/html", headers: { "X-Own": "own" }, body: "<p>" }),
    );
    expect(page).toMatchObject({ status: 200, headers: { "Content-Type": "text/html", "X-Own": "own" } });
  });
});

describe("the tests' own measure of a body", () => {
  it("finds members that are not declared, wherever they are", () => {
    expect(problemsOf(account, declared)).toEqual([]);
    expect(problemsOf(account, { ...declared, password_hash: "x" })).toEqual(["password_hash: not declared"]);
    expect(
      problemsOf(account, { ...declared, tokens: [{ id: "a" }, { id: "b", owner: { id: 7 } }] }),
    ).toEqual(["tokens.1.owner: not declared"]);
    expect(problemsOf(account, { ...declared, preferences: { language: "lug", theme: "dark" } })).toEqual([]);
    expect(problemsOf(account, { ...declared, username: 7 })).toEqual([expect.stringMatching(/^username: /)]);
  });
});

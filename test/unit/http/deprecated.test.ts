import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createLimiter } from "../../../shared/accounts/limits/limiter.ts";
import { endpoint } from "../../../shared/http/endpoint.ts";
import { defineOperation } from "../../../shared/http/operation.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { exampleOperation } from "../../support/example-operation.ts";
import { fakeCounters } from "../../support/fake-counters.ts";
import { authorizedCaller, send } from "../../support/send.ts";

const operation = defineOperation({
  ...exampleOperation,
  path: "/old",
  auth: "user",
  scope: "translate",
  deprecated: {
    since: new Date("2026-06-01T00:00:00Z"),
    sunset: new Date("2026-12-01T00:00:00Z"),
    successor: "/new",
    guide: "/guide",
  },
  body: { encoding: "json", schema: z.object({ text: z.string() }) },
  response: { status: 200, description: "It", schema: z.object({ user: z.int() }) },
});

const headers = {
  Deprecation: "@1780272000",
  Sunset: "Tue, 01 Dec 2026 00:00:00 GMT",
  Link: '</guide>; rel="deprecation"; type="text/html", </new>; rel="successor-version"',
};

const bodies = [
  ["right", { text: "x" }, 200],
  ["right", { text: "full" }, 503],
  ["right", { text: "broken" }, 500],
  ["right", {}, 422],
  ["right", "{", 422],
  ["wrong", { text: "x" }, 401],
  ["disabled", { text: "x" }, 403],
] as const;

const post = (token: string | undefined, body: unknown, authorizer?: Record<string, string>) =>
  send(
    [
      endpoint(operation, ({ body: { text }, caller }) => {
        if (text === "full") throw new AppError("service_unavailable");
        if (text === "broken") throw new Error("secret");
        return { user: caller.userId };
      }),
    ],
    {
      path: "/old",
      body,
      headers: { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) },
      ...(authorizer ? { authorizer } : {}),
    },
    {
      limiter: createLimiter(fakeCounters(undefined, { disabled: token === "disabled" })),
      verifyBearer: async (authorization) =>
        authorization === "Bearer wrong" || authorization === undefined
          ? undefined
          : { userId: 7, tokenId: "t", tokenEpoch: 0 },
    },
  );

describe("a deprecated operation", () => {
  it.each(bodies)("says so on every response: %s token, %j, %i", async (token, body, status) => {
    expect(await post(token, body)).toMatchObject({ status, headers });
  });

  it("checks the token itself, because it has no authorizer in front of it", async () => {
    expect(await post("right", { text: "x" })).toMatchObject({ body: { user: 7 } });
    expect(await post(undefined, { text: "x" })).toMatchObject({ status: 401, headers });
  });

  it("believes an authorizer that has let the request through", async () => {
    expect(await post(undefined, { text: "x" }, authorizedCaller)).toMatchObject({ status: 200 });
    expect(await post("right", { text: "x" }, { userId: "none" })).toMatchObject({ status: 401 });
  });

  it.each([
    ["at the stage's default address", "/prod/old", "/prod"],
    ["below the base path of a domain", "/languages/v2/old", "/languages/v2"],
    ["with a slash at the end", "/prod/old/", "/prod"],
    ["at a domain's root", "/old", ""],
  ])(
    "names its guide and its successor where its callers reach them: %s",
    async (_where, publicPath, basePath) => {
      const seen: string[] = [];
      const bound = endpoint(operation, ({ caller, request }) => {
        seen.push(request.basePath);
        return { user: caller.userId };
      });
      const { headers } = await send([bound], {
        path: "/old",
        publicPath,
        body: { text: "x" },
        authorizer: authorizedCaller,
      });
      expect(headers).toMatchObject({
        Link: `<${basePath}/guide>; rel="deprecation"; type="text/html", <${basePath}/new>; rel="successor-version"`,
      });
      expect(seen).toEqual([basePath]);
    },
  );

  it("lets browsers read the headers", async () => {
    const response = await post("right", { text: "x" });
    expect(response.headers["Access-Control-Expose-Headers"]).toMatch(/Deprecation.*Link.*Sunset/);
  });
});

describe("any other operation", () => {
  it("says nothing of the kind", async () => {
    const { deprecated, ...current } = operation;
    const response = await send([endpoint(current, () => ({ user: 7 }))], {
      path: "/old",
      body: { text: "x" },
      authorizer: authorizedCaller,
    });
    expect(response.status).toBe(200);
    for (const name of Object.keys(headers)) expect(response.headers).not.toHaveProperty(name);
  });
});

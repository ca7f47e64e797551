import { globSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { functionDefinitions } from "../../functions/manifest.ts";
import { releaseSamples } from "../../functions/release-check/samples.ts";
import { credentialContext } from "../../shared/http/authenticate.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { verifiesTokens } from "../../shared/http/operation.ts";
import { createBufferedHandler } from "../../shared/http/pipeline.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { lambdaContext } from "../support/lambda-event.ts";
import { otherSamples, parseEvent, sampleEvents } from "../support/sample-events.ts";
import { send } from "../support/send.ts";
import { unlimited } from "../support/unlimited.ts";

describe("the sample events", () => {
  it.each(sampleEvents)("$path is a request its operation accepts", async ({ operation, text }) => {
    const event = parseEvent(text);
    expect(event).toMatchObject({ httpMethod: operation.method, resource: operation.path });
    const isChecked = operation.auth === "user" && !verifiesTokens(operation);
    const token = credentialContext.safeParse(event.requestContext.authorizer);
    expect(token.success || !isChecked).toBe(true);
    const accept = vi.fn(() => {
      throw new AppError("gone");
    });
    const response = await send([endpoint(operation, accept)], {
      method: event.httpMethod,
      path: event.resource,
      headers: Object.fromEntries(Object.entries(event.headers).map(([name, value]) => [name, value ?? ""])),
      ...(event.queryStringParameters ? { query: definedOnly(event.queryStringParameters) } : {}),
      ...(event.pathParameters ? { pathParameters: definedOnly(event.pathParameters) } : {}),
      ...(event.body === null
        ? {}
        : { body: event.isBase64Encoded ? Buffer.from(event.body, "base64") : event.body }),
      authorizer: { userId: "1", tokenId: "t", tokenEpoch: "0" },
    });
    // Any fault of the request is found before.
    expect(response.status).toBe(410);
    expect(accept).toHaveBeenCalledOnce();
  });

  const all = [...sampleEvents, ...otherSamples];

  it("exist for the check of each function's new version", () => {
    const names = functionDefinitions.map(({ name }): string => name);
    expect(Object.keys(releaseSamples).toSorted()).toEqual(names.toSorted());
  });

  const { authorizer: _guard, ...behindRoutes } = releaseSamples;
  const refused = Object.values(behindRoutes)
    .flat()
    .flatMap(({ what, event, expected }) => {
      const request = gatewayRequest.safeParse(event).data;
      return request && what.includes("invalid token") ? [{ ...request, event, expected }] : [];
    });

  it.each(refused)(
    "of the check of new versions for $resource reach no use case and count nothing",
    async ({ event, expected, httpMethod, resource }) => {
      const { operation } =
        sampleEvents.find(({ operation: { method, path } }) => method === httpMethod && path === resource) ??
        {};
      if (!operation) throw new Error(`There is no operation ${httpMethod} ${resource}.`);
      const accept = vi.fn();
      const admit = vi.fn();
      const limiter = { ...unlimited, admit };
      const options = { limiter, verifyBearer: async () => undefined };
      const handler = createBufferedHandler([endpoint(operation, accept)], options);
      expect(
        expected.safeParse(await handler(parseEvent(JSON.stringify(event)), lambdaContext())).error,
      ).toBeUndefined();
      expect(accept).not.toHaveBeenCalled();
      expect(admit).not.toHaveBeenCalled();
    },
  );

  it("belong to operations that exist, or to what else a function gets", () => {
    const files = globSync("events/**/*.json", { cwd: join(import.meta.dirname, "../..") });
    expect(files.toSorted()).toEqual(all.map(({ path }) => path).toSorted());
  });

  it("exist for every function", () => {
    const names = functionDefinitions.map(({ name }): string => name);
    expect([...new Set(all.map(({ feature }) => feature))].toSorted()).toEqual(names.toSorted());
  });

  it.each(otherSamples.filter(({ message }) => message !== undefined))(
    "$path holds a message that its worker reads",
    ({ text, message }) => {
      const { Records: records } = queueEvent.parse(JSON.parse(text));
      for (const { body } of records) expect(message?.safeParse(JSON.parse(body)).error).toBeUndefined();
    },
  );
});

const gatewayRequest = z.object({ httpMethod: z.string(), resource: z.string() });

const queueEvent = z.object({ Records: z.array(z.object({ body: z.string() })).min(1) });

const definedOnly = (values: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value ? [[name, value]] : [])));

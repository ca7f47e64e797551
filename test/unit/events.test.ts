import { globSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { functionDefinitions } from "../../functions/manifest.ts";
import { credentialContext } from "../../shared/http/authenticate.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { verifiesTokens } from "../../shared/http/operation.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { otherSamples, parseEvent, sampleEvents } from "../support/sample-events.ts";
import { send } from "../support/send.ts";

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

const queueEvent = z.object({ Records: z.array(z.object({ body: z.string() })).min(1) });

const definedOnly = (values: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value ? [[name, value]] : [])));

import * as z from "zod";
import getAccount from "../../events/auth/get-account.json" with { type: "json" };
import authorizeKey from "../../events/authorizer/key.json" with { type: "json" };
import logIn from "../../events/console/log-in.json" with { type: "json" };
import health from "../../events/docs/health.json" with { type: "json" };
import languages from "../../events/docs/languages.json" with { type: "json" };
import openApi from "../../events/docs/openapi.json" with { type: "json" };
import delivered from "../../events/mail-feedback/delivery.json" with { type: "json" };
import listTools from "../../events/mcp/call-mcp.json" with { type: "json" };
import operatorsAccounts from "../../events/operators/accounts.json" with { type: "json" };
import documentation from "../../events/site/documentation.json" with { type: "json" };
import verifyWebhook from "../../events/webhook/verify-webhook.json" with { type: "json" };
import { releaseCheckEvent } from "../../shared/platform/release-check.ts";
import guardedPaths from "./guarded-paths.json" with { type: "json" };

/** An event that changes nothing, and what a working version returns for it. */
export interface ReleaseSample {
  readonly what: string;
  readonly event: unknown;
  readonly expected: z.ZodType;
}

const returning = (what: string, status: number, event: unknown): ReleaseSample => ({
  what,
  event,
  expected: z.object({ statusCode: z.literal(status) }),
});

/** Has the form of a token, so a function that verifies tokens reads the signing key for it. */
const invalidToken = { Authorization: "Bearer a.b.c" };

const withInvalidToken = <Event extends { readonly requestContext: object }>(event: Event) => ({
  ...event,
  headers: invalidToken,
  multiValueHeaders: {},
  requestContext: { ...event.requestContext, authorizer: null },
});

/** A request of an operation that needs a token, with an invalid one. */
export const withoutAccess = ({ method, path }: { readonly method: string; readonly path: string }) =>
  returning(
    "a request with an invalid token",
    401,
    withInvalidToken({
      ...getAccount,
      ...{ httpMethod: method, resource: path, path },
      requestContext: { ...getAccount.requestContext, httpMethod: method, resourcePath: path, path },
    }),
  );

const wrongQuery = { "hub.mode": "subscribe", "hub.challenge": "1", "hub.verify_token": "wrong" };

const noRecords: ReleaseSample = {
  what: "a batch without records",
  event: { Records: [] },
  expected: z.object({ batchItemFailures: z.tuple([]) }),
};

const noWork: ReleaseSample = {
  what: "an event without work",
  event: releaseCheckEvent,
  expected: z.null(),
};

/** The samples of the functions of which none of the operations needs a token, or that have no routes. */
const otherSamples: Readonly<Record<string, readonly ReleaseSample[]>> = {
  authorizer: [
    {
      what: "an invalid token",
      event: withInvalidToken(authorizeKey),
      expected: z.object({ errorMessage: z.literal("Unauthorized") }),
    },
  ],
  callback: [noRecords],
  canary: [noWork],
  console: [returning("the login page", 200, logIn)],
  docs: [
    returning("health", 200, health),
    returning("languages", 200, languages),
    returning("the OpenAPI document", 200, openApi),
  ],
  erasure: [noWork],
  export: [noRecords],
  "job-worker": [noRecords],
  mail: [noRecords],
  "mail-feedback": [{ what: "a mail that arrived", event: delivered, expected: z.null() }],
  mcp: [returning("a message without a valid token", 401, withInvalidToken(listTools))],
  messaging: [noRecords],
  operators: [returning("the list of accounts without a session", 303, operatorsAccounts)],
  "request-log": [noWork],
  site: [returning("the documentation", 200, documentation)],
  sunset: [noWork],
  webhook: [returning("a wrong verify token", 403, { ...verifyWebhook, queryStringParameters: wrongQuery })],
};

/** The sample events of each function, by its name. They read secrets at most: no table, bucket, queue or model. */
export const releaseSamples: Readonly<Record<string, readonly ReleaseSample[]>> = {
  ...Object.fromEntries(Object.entries(guardedPaths).map(([name, path]) => [name, [withoutAccess(path)]])),
  ...otherSamples,
};

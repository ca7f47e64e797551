import { expect, inject } from "vitest";
import type * as z from "zod";
import { getJobOperation } from "../../functions/jobs/contract.ts";
import type { Operation } from "../../shared/http/operation.ts";
import type { ErrorCode } from "../../shared/platform/errors/catalogue.ts";
import { errorCodeAt, statusAt } from "../../shared/platform/errors/error-body.ts";
import {
  ApiClient,
  type JsonResponse,
  type Registration,
  newRegistration as registrationWith,
  type TestAccount,
} from "./api-client.ts";
import { codeOf, errorBody, errorBodyOf, problemsOf } from "./declared.ts";
import { openLocalAccounts } from "./local-accounts.ts";

export type { CallOptions, JsonResponse, TestAccount } from "./api-client.ts";

export const baseUrl = inject("baseUrl");

/** What every path begins with; empty when the service has no prefix. */
export const basePath = new URL(baseUrl).pathname.replace(/\/$/, "");

const client = new ApiClient(() => baseUrl);

export const { call, request, send, logIn, upload, startJob, speak } = client;

/** Checks that a response is what its operation declares: the schema on success, the error body otherwise. */
export const expectDeclared = (operation: Operation, response: JsonResponse): void => {
  expect(response.headers.get("x-request-id"), "every answer carries a request id").toBeTruthy();
  const schema = response.status < 300 ? operation.response.schema : errorBodyOf(operation.path);
  expect(problemsOf(schema, response.body), `${operation.id} answered ${response.status}`).toEqual([]);
};

/** Checks that a response is one of our errors, with this status and code, by default in the common format. */
export const expectError = (
  response: JsonResponse,
  status: number,
  code: string,
  schema: z.ZodType = errorBody,
): void => {
  expect(response).toMatchObject({ status, body: { error: { code } } });
  expect(problemsOf(schema, response.body)).toEqual([]);
  expect(response.headers.get("x-request-id")).toBeTruthy();
};

/** Checks that a response is an error in the form, with the status and with the code that an operation's path has for it. */
export const expectErrorOf = (
  { path }: Pick<Operation, "path">,
  response: JsonResponse,
  code: ErrorCode,
): void => {
  expect([response.status, codeOf(response.body)]).toEqual([statusAt(path, code), errorCodeAt(path, code)]);
  expect(problemsOf(errorBodyOf(path), response.body)).toEqual([]);
  expect(response.headers.get("x-request-id")).toBeTruthy();
};

/** The headers of every response of a deprecated operation, for any status. */
export const expectDeprecation = ({ deprecated }: Operation, { headers }: JsonResponse): void => {
  expect(headers.get("deprecation")).toBe("@1780272000");
  const sunset = headers.get("sunset") ?? "";
  expect(new Date(sunset).toUTCString()).toBe(sunset);
  if (inject("isLocal")) expect(sunset).toBe("Wed, 01 Dec 2027 00:00:00 GMT");
  expect(headers.get("link")).toBe(
    `<${basePath}/docs/guides/from-v1>; rel="deprecation"; type="text/html", ` +
      `<${basePath}${deprecated?.successor}>; rel="successor-version"`,
  );
  for (const name of ["Deprecation", "Link", "Sunset"]) {
    expect(headers.get("access-control-expose-headers")).toContain(name);
  }
};

/** The outcome of a request, for comparing many simultaneous ones: its status, and the error's code if there is one. */
export const outcomeOf = ({ status, body }: JsonResponse): string =>
  `${status} ${body.error?.code ?? "done"}`;

/**
 * A registration whose mails no one reads; deployments really send them, and SES's own mailbox accepts them without harm to the
 * sender's reputation.
 */
export const newRegistration = (): Registration =>
  registrationWith(
    inject("isLocal") ? undefined : (username) => `success+${username}@simulator.amazonses.com`,
  );

/** Registers a person and logs them in. */
export const createAccount = (): Promise<TestAccount> => client.createAccount(newRegistration());

let shared: Promise<TestAccount> | undefined;

/**
 * An account for all tests that change nothing about it and count nothing. The local one has the type Admin, so that a minute
 * has enough requests for them.
 */
export const sharedAccount = (): Promise<TestAccount> => {
  shared ??= createAccount().then(async (account) => {
    if (inject("isLocal")) {
      const accounts = await openLocalAccounts(inject("dataDirectory"));
      await accounts.setAccountType(account.id, "Admin");
    }
    return account;
  });
  return shared;
};

/** The response about a job once it has ended. */
export const whenOver = (id: string, token: string): Promise<JsonResponse> =>
  client.whenOver(id, token, (response) => expectDeclared(getJobOperation, response));

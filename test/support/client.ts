import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, inject } from "vitest";
import type * as z from "zod";
import { bearerChallenge } from "../../shared/http/bearer-challenge.ts";
import type { Operation } from "../../shared/http/operation.ts";
import type { ErrorCode } from "../../shared/platform/errors/catalogue.ts";
import { errorCodeAt, statusAt } from "../../shared/platform/errors/error-body.ts";
import { codeOf, errorBody, errorBodyOf, problemsOf } from "./declared.ts";

export const baseUrl = inject("baseUrl");

/** `WWW-Authenticate` of API Gateway. A stage without an address of its own names no metadata. */
export const gatewayChallenge: unknown = inject("isLocal")
  ? bearerChallenge(baseUrl)
  : expect.stringMatching(/^Bearer(?: resource_metadata="https:\/\/[^"]+")?$/);

/** A response as a client sees it. */
export interface JsonResponse {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly body: any;
}

/** What a client sends. Objects go as JSON, `URLSearchParams` as a form, a `Blob` as its bytes. */
export interface CallOptions {
  readonly method?: string;
  readonly token?: string | undefined;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

const encode = (
  body: unknown,
): { body?: string | URLSearchParams | FormData | Blob; headers: Record<string, string> } => {
  if (body === undefined) return { headers: {} };
  if (
    typeof body === "string" ||
    body instanceof URLSearchParams ||
    body instanceof FormData ||
    body instanceof Blob
  ) {
    return { body, headers: {} };
  }
  return { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
};

/** Sends one request to the service; a whole address goes where it says. */
export const call = async (path: string, options: CallOptions = {}): Promise<JsonResponse> => {
  const { body, headers } = encode(options.body);
  const response = await fetch(path.startsWith("http") ? path : `${baseUrl}${path}`, {
    method: options.method ?? (options.body === undefined ? "GET" : "POST"),
    headers: {
      ...headers,
      ...(options.token ? { Authorization: `Bearer ${options.token}` } : {}),
      ...options.headers,
    },
    ...(body === undefined ? {} : { body }),
    redirect: "manual",
  });
  const text = await response.text();
  const isJson = text !== "" && response.headers.get("content-type")?.startsWith("application/json");
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
};

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

/** The outcome of a request, for comparing many simultaneous ones: its status, and the error's code if there is one. */
export const outcomeOf = ({ status, body }: JsonResponse): string =>
  `${status} ${body.error?.code ?? "done"}`;

/** A person with an account and a token. */
export interface TestAccount {
  readonly id: number;
  readonly username: string;
  readonly email: string;
  readonly password: string;
  readonly token: string;
}

/** Gets a token as the guide says. */
export const logIn = (
  username: string,
  password: string,
  secondFactor: { readonly otp?: string } = {},
): Promise<JsonResponse> =>
  call("/auth/token", { body: new URLSearchParams({ username, password, ...secondFactor }) });

/**
 * An address that no one reads; deployments really send mails, and SES's own mailbox accepts them without harm to the
 * sender's reputation.
 */
const mailDomain = inject("isLocal") ? "example.com" : "simulator.amazonses.com";

/** A registration body that was not used before. */
export const newRegistration = () => {
  const username = `user-${randomBytes(6).toString("hex")}`;
  const mailbox = inject("isLocal") ? username : `success+${username}`;
  return { username, email: `${mailbox}@${mailDomain}`, password: "seven storks by the lake" };
};

/** Sends what a deployment limits strictly by address, again when it says so. */
const patiently = async (send: () => Promise<JsonResponse>): Promise<JsonResponse> => {
  for (;;) {
    const response = await send();
    if (inject("isLocal") || response.status !== 429) return response;
    await sleep(1_000 * Number(response.headers.get("retry-after") ?? 1));
  }
};

/** Registers a person and logs them in. */
export const createAccount = async (): Promise<TestAccount> => {
  const registration = newRegistration();
  const { body: account, status } = await patiently(() => call("/auth/register", { body: registration }));
  expect(status).toBe(201);
  const { body } = await patiently(() => logIn(registration.username, registration.password));
  return { ...registration, id: account.id, token: body.access_token };
};

import * as z from "zod";
import { operations } from "../../functions/manifest.ts";
import type { Operation } from "../../shared/http/operation.ts";
import { sendOverWire, type WireRequest, type WireResponse } from "../support/wire.ts";
import { exampleIds, type FuzzAccount, type FuzzedService } from "./fuzzed-service.ts";
import { deadFunction, judge } from "./oracle.ts";
import { encodeBody } from "./request-bodies.ts";
import type { FuzzRequest, Intent } from "./requests.ts";

/** What a run has seen so far. */
export interface FuzzReport {
  sent: number;
  /** How many responses each intent and status got, such as `valid 200`. */
  readonly responses: Map<string, number>;
  /** Ids of the operations that were called. */
  readonly routes: Set<string>;
  /** Ids of the operations that ran. */
  readonly carriedOut: Set<string>;
  slowest: { milliseconds: number; route: string };
}

/** Sends requests to a service and checks the responses. */
export interface Fuzzer {
  readonly report: FuzzReport;
  /**
   *
   * @throws Error with the first request that got a wrong response.
   */
  run(requests: readonly FuzzRequest[]): Promise<void>;
}

/** With another method, a request may be one to another operation of the same path. */
const respondingOperation = ({ operation, method }: FuzzRequest): Operation =>
  operations.find((other: Operation) => other.path === operation.path && other.method === method) ??
  operation;

/** Whose token a request takes: one that is rotated, or whose password is guessed, must not be in others' way. */
const accountFor = ({ operation }: FuzzRequest, { accounts }: FuzzedService, number: number): FuzzAccount => {
  const [rotated, guessed, ...others] = accounts;
  if (operation.id === "refreshToken") return rotated;
  if (operation.id === "changePassword") return guessed;
  return others[number % others.length] ?? rotated;
};

/** The path of what is the account's own, where it is that of an example. */
const ownPath = (path: string, { own }: FuzzAccount): string =>
  path.replace(exampleIds.job, own.job).replace(exampleIds.upload, own.upload);

/** A body that names the account's own recording, where it names that of an example. All ids are equally long. */
const ownBody = (bytes: Buffer, { own }: FuzzAccount): Buffer =>
  Buffer.from(bytes.toString("latin1").replaceAll(exampleIds.file, own.file), "latin1");

const toWire = async (request: FuzzRequest, account: FuzzAccount): Promise<WireRequest> => {
  const { operation, body, authorization } = request;
  const encoded = body && (await encodeBody(operation.body?.encoding ?? "json", body.value));
  const wire = encoded && body.damage ? body.damage(encoded) : encoded;
  const value = authorization === "own" ? `Bearer ${account.token}` : authorization.value;
  return {
    method: request.method,
    path: ownPath(request.path, account),
    headers: {
      ...(wire?.contentType === undefined ? {} : { "Content-Type": wire.contentType }),
      ...(wire?.contentEncoding === undefined ? {} : { "Content-Encoding": wire.contentEncoding }),
      ...(value === undefined ? {} : { Authorization: value }),
      ...request.headers,
    },
    body: wire && ownBody(wire.bytes, account),
  };
};

const describe = ({ method, path, headers, body }: WireRequest): string =>
  JSON.stringify({
    method,
    path,
    headers: { ...headers, ...(headers["Authorization"] ? { Authorization: "…" } : {}) },
    body:
      body &&
      (body.length > 2_000
        ? `${body.length} bytes: ${body.toString("latin1", 0, 500)}…`
        : body.toString("latin1")),
  });

const created = z.object({ id: z.string() });

/** Remembers what a request has made, so that later ones find it. */
const rememberCreated = (
  { operation, method }: FuzzRequest,
  { own }: FuzzAccount,
  response: WireResponse,
): void => {
  if (method !== operation.method || response.status !== operation.response.status) return;
  const idOf = (): string => created.parse(JSON.parse(response.body.toString())).id;
  if (operation.id === "createJob") own.job = idOf();
  if (operation.id === "beginUpload") own.upload = idOf();
};

/** A fuzzer over a running service. */
export const createFuzzer = (service: FuzzedService): Fuzzer => {
  const report: FuzzReport = {
    sent: 0,
    responses: new Map(),
    routes: new Set(),
    carriedOut: new Set(),
    slowest: { milliseconds: 0, route: "" },
  };
  const note = (intent: Intent, request: FuzzRequest, { status, milliseconds }: WireResponse): void => {
    const { operation } = request;
    if (status < 300 && request.method === operation.method) report.carriedOut.add(operation.id);
    const key = `${intent} ${status}`;
    report.routes.add(operation.id);
    report.responses.set(key, (report.responses.get(key) ?? 0) + 1);
    if (milliseconds > report.slowest.milliseconds) {
      report.slowest = { milliseconds, route: `${operation.method} ${operation.path}` };
    }
  };

  const sendOne = async (request: FuzzRequest): Promise<void> => {
    const account = accountFor(request, service, report.sent);
    report.sent += 1;
    const { token, password } = account;
    const wire = await toWire(request, account);
    let response: WireResponse;
    try {
      response = await sendOverWire(service.url, wire);
    } catch (cause) {
      throw new Error(`${describe(wire)} got no response.`, { cause });
    }
    note(request.intent, request, response);
    const problems = judge(respondingOperation(request), request.method, response, { token, password });
    if (problems.length > 0) throw new Error(`${describe(wire)} got ${problems.join("; ")}`);
    rememberCreated(request, account, response);
    if (request.operation.id === "refreshToken" && response.status === 200) {
      account.token = (await service.api.logIn(account.username, account.password)).body.access_token;
    }
  };

  let read = 0;
  const checkFunctions = (): void => {
    const output = service.output();
    const death = output
      .slice(read)
      .split("\n")
      .find((line) => deadFunction.test(line));
    read = output.lastIndexOf("\n") + 1;
    if (death) throw new Error(`A function died: ${death}`);
    if (service.hasEnded()) throw new Error("The service has ended.");
  };

  return {
    report,
    run: async (requests) => {
      await Promise.all(requests.map(sendOne));
      checkFunctions();
    },
  };
};

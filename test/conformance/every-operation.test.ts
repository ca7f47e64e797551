import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import * as z from "zod";
import { idempotencyOf, limitClassOf, type Operation } from "../../shared/http/operation.ts";
import {
  baseUrl,
  call,
  createAccount,
  expectDeclared,
  expectDeprecation,
  type JsonResponse,
  newRegistration,
  sharedAccount,
  type TestAccount,
} from "../support/client.ts";
import { described, runShell, writeSampleFiles } from "../support/documented-code.ts";
import { parseEvent, sampleEvents } from "../support/sample-events.ts";
import { undeclaredIn } from "../support/undeclared-headers.ts";

/** Operations whose curl cannot run as it is written, and why: a sample event of their function is sent instead. */
const notRun: Readonly<Record<string, string>> = {
  deleteAccount: "the password is another",
  changePassword: "the password is another",
  showVerificationPage: "needs the link of a mail",
  verifyEmail: "needs the link of a mail",
  showResetPage: "needs the link of a mail",
  resetPassword: "needs the link of a mail",
  revokeKey: "needs a key that was made",
  resendWebhook: "needs a callback that was sent",
  getExport: "needs an export that was requested",
  getExportFile: "needs a file that was stored",
  refreshSpeechLink: "needs speech that was made",
  legacyVendorRefreshUrl: "needs speech that was made",
  legacyDeleteTranscription: "needs a transcription that was made",
  legacyTranscribeUpload: "needs a file that was uploaded",
  getUpload: "needs an upload that was begun",
  signUploadParts: "needs an upload that was begun",
  completeUpload: "needs an upload that was begun",
  deleteUpload: "needs an upload that was begun",
  createJob: "needs a file that was uploaded",
  getJob: "needs a job that was made",
  getJobResult: "needs a job that was made",
  addTargets: "needs a job that was made",
  deleteJob: "needs a job that was made",
  deeplDocumentStatus: "needs a document that was uploaded",
  deeplDocumentResult: "needs a document that was uploaded",
  verifyWebhook: "needs the platform's token",
  receiveDelivery: "needs the platform's signature",
};

/** Sooner than an account's limit a minute is reached: an operation is called twice at most. */
const operationsOfAnAccount = 20;

/** A free account, with the tasks that are left of its day. */
interface Caller {
  readonly account: TestAccount;
  operations: number;
  left: number;
}

let folder = "";

const newCaller = async (): Promise<Caller> => ({ account: await createAccount(), operations: 0, left: 500 });

/** Chooses the callers of operations that are called one after the other; one that ends tokens has a caller of its own. */
const callers = () => {
  let caller: Caller | undefined;
  return async ({ id }: Pick<Operation, "id">): Promise<Caller> => {
    if (["refreshToken", "deleteAccount", "changePassword"].includes(id)) return newCaller();
    if (!caller || caller.operations === operationsOfAnAccount) caller = await newCaller();
    caller.operations += 1;
    return caller;
  };
};

/** What happened between a caller and an operation; the second response is that to a repetition with the same `Idempotency-Key`. */
interface Exchange {
  readonly from: Caller;
  readonly first: JsonResponse;
  readonly second: JsonResponse | undefined;
}

const isRepeated = (operation: Operation): boolean => idempotencyOf(operation) === "replay";

/** The last head of a response that curl has written to a file. */
const headersIn = (text: string): Headers => {
  const lines =
    text
      .trim()
      .split(/\r?\n\r?\n/)
      .at(-1)
      ?.split(/\r?\n/)
      .slice(1) ?? [];
  return new Headers(lines.map((line) => line.split(/: ?(.*)/s, 2) as [string, string]));
};

/** The commands that run the curl of the documentation, and write head, body and status into files. */
const commandsOf = (name: string, curl: string, { account }: Caller, key: string): string => {
  const username = curl.includes("/auth/register") ? newRegistration().username : account.username;
  const options = `-D ${name}.head -w '\\n%{http_code}' -H 'Idempotency-Key: ${key}'`;
  const script = curl.replace(/^curl -\w+/, `$& ${options}`).replaceAll("amina", username);
  return `TOKEN=${account.token}\n{ ${script}\n} > ${name}.body`;
};

const readResponse = async (name: string): Promise<JsonResponse> => {
  const headers = headersIn(await readFile(join(folder, `${name}.head`), "latin1"));
  const printed = await readFile(join(folder, `${name}.body`), "utf8");
  const end = printed.lastIndexOf("\n");
  const text = printed.slice(0, end);
  const isJson = text !== "" && headers.get("content-type")?.startsWith("application/json");
  return { status: Number(printed.slice(end + 1)), headers, body: isJson ? JSON.parse(text) : text };
};

/** Runs every curl that runs as it is written, one after the other. @returns the exchanges by the operations' ids. */
const runCurls = async (): Promise<Map<string, Exchange>> => {
  const callerFor = callers();
  const commands: string[] = [];
  const runs = [];
  for (const { operation } of sampleEvents.filter(({ operation: { id } }) => !(id in notRun))) {
    const { id } = operation;
    const { samples } = described.find((each) => each.id === id) ?? {};
    const [from, key] = [await callerFor(operation), randomUUID()];
    const names = isRepeated(operation) ? [id, `${id}-again`] : [id];
    for (const name of names) commands.push(commandsOf(name, samples?.curl ?? "", from, key));
    runs.push({ id, from, names });
  }
  await runShell(commands.join("\n"), folder, "");
  const exchanges = runs.map(async ({ id, from, names: [first = "", second] }) => {
    const responses = { first: await readResponse(first), second: second && (await readResponse(second)) };
    return [id, { from, first: responses.first, second: responses.second || undefined }] as const;
  });
  return new Map(await Promise.all(exchanges));
};

const sendSample = (text: string | undefined, { account }: Caller, key: string): Promise<JsonResponse> => {
  const { httpMethod, path, headers, queryStringParameters, body, isBase64Encoded } = parseEvent(text);
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(queryStringParameters ?? {})) query.set(name, value ?? "");
  const contentType = Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type")?.[1];
  return call(`${path}${query.size > 0 ? `?${query}` : ""}`, {
    method: httpMethod,
    token: account.token,
    headers: { ...(contentType ? { "Content-Type": contentType } : {}), "Idempotency-Key": key },
    ...(body === null ? {} : { body: isBase64Encoded ? Buffer.from(body, "base64") : body }),
  });
};

const batch = z.object({ items: z.array(z.unknown()) });

/** How many items the batch has that is sent to an operation. */
const itemsOf = (id: string, text: string | undefined): number => {
  const documented = described.find((each) => each.id === id)?.request.body;
  const sent =
    id in notRun || documented?.kind !== "json" ? JSON.parse(parseEvent(text).body ?? "") : documented.value;
  return batch.parse(sent).items.length;
};

/** The headers show the limits of the caller, from which a task is taken unless it was refunded. */
const expectLimits = (operation: Operation, { headers }: JsonResponse, from: Caller, tasks: number): void => {
  // The call of a tool counts as the task behind it.
  const limitClass = operation.path === "/mcp" ? "task" : limitClassOf(operation);
  if (limitClass === "delivery") return;
  const day = limitClass === "task" ? ', "day";q=500;w=86400' : "";
  const perMinute = operation.auth === "user" ? "50" : String.raw`\d+`;
  expect(headers.get("ratelimit-policy")).toMatch(new RegExp(`^"minute";q=${perMinute};w=60${day}$`));
  const [, , left] = /^"minute";r=\d+;t=\d+(, "day";r=(\d+);t=\d+)?$/.exec(
    headers.get("ratelimit") ?? "",
  ) ?? [""];
  expect(left === undefined ? "" : "day", headers.get("ratelimit") ?? "none").toBe(day && "day");
  if (left !== undefined) {
    const before = from.left;
    from.left = Number(left);
    expect([before - tasks, before]).toContain(from.left);
  }
  for (const [name, value] of [
    ["limit", /^\d+$/],
    ["remaining", /^\d+$/],
    ["reset", /^\d+s$/],
  ] as const)
    expect(headers.get(`x-ratelimit-${name}-requests`)).toMatch(value);
};

/** The response is what the documentation shows: its status, its type and what the contract declares. */
const expectDocumented = (operation: Operation, response: JsonResponse): void => {
  const { status, responses = [] } = described.find(({ id }) => id === operation.id) ?? {};
  expect(String(response.status), JSON.stringify(response.body).slice(0, 500)).toBe(status);
  const types = responses.map(({ contentType }) => contentType);
  if (types.length > 0) expect(types).toContain(response.headers.get("content-type")?.split(";")[0]);
  if (typeof response.body === "object" && operation.errorFormat !== "oauth")
    expectDeclared(operation, response);
};

describe.runIf(inject("isLocal"))("Every operation", () => {
  let exchanges: Map<string, Exchange>;
  const callerFor = callers();
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "every-operation-"));
    await writeSampleFiles(folder, (await sharedAccount()).token);
    exchanges = await runCurls();
  }, 120_000);
  afterAll(() => rm(folder, { recursive: true }));

  const exchangeSample = async ({ operation, text }: (typeof sampleEvents)[number]): Promise<Exchange> => {
    const [from, key] = [await callerFor(operation), randomUUID()];
    const send = () => sendSample(text, from, key);
    return { from, first: await send(), second: isRepeated(operation) ? await send() : undefined };
  };

  it("is in the documentation, and most have a curl that runs as it is written", () => {
    const ids = sampleEvents.map(({ operation }) => operation.id);
    expect(described.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect(Object.keys(notRun).filter((id) => !ids.includes(id))).toEqual([]);
  });

  it.each(sampleEvents.map((sample) => ({ ...sample, id: sample.operation.id })))(
    "$id responds as it is documented, with its caller's limits, once for an Idempotency-Key",
    async ({ id, ...sample }) => {
      const { operation, text } = sample;
      const { from, first, second } = exchanges.get(id) ?? (await exchangeSample(sample));
      if (id in notRun) expect(first.status).not.toBe(422);
      else expectDocumented(operation, first);
      expect(undeclaredIn(operation.method, `${baseUrl}${operation.path}`, first)).toEqual([]);
      const tasks = operation.tasksIn ? itemsOf(id, text) : 1;
      expectLimits(operation, first, from, tasks);
      if (operation.deprecated) expectDeprecation(operation, first);
      if (!second) return;
      // Streams ignore the header.
      const isStream = /^(?:text\/event-stream|audio\/)/.test(first.headers.get("content-type") ?? "");
      // No error is stored.
      const isStored = !isStream && first.status < 400;
      expectLimits(operation, second, from, isStored ? 0 : tasks);
      expect(second.status).toBe(first.status);
      expect(second.headers.get("idempotent-replayed")).toBe(isStored ? "true" : null);
      if (isStored) expect(second.body).toEqual(first.body);
    },
  );

  it("lets browsers read the headers about limits", async () => {
    const { headers } = await call("/health");
    const exposed = headers.get("access-control-expose-headers");
    for (const name of ["RateLimit", "RateLimit-Policy", "Retry-After", "x-ratelimit-remaining-requests"])
      expect(exposed).toContain(name);
  });
});

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
  type TestAccount,
} from "../support/client.ts";
import { described, runShell, writeSampleFiles } from "../support/documented-code.ts";
import { parseEvent, sampleEvents } from "../support/sample-events.ts";
import { undeclaredIn } from "../support/undeclared-headers.ts";

/** Operations whose curl cannot run as it is written, and why: the sample event of their function is sent in its place. */
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
let caller: Caller | undefined;

const newCaller = async (): Promise<Caller> => ({ account: await createAccount(), operations: 0, left: 500 });

/** The caller of the next operation; one that ends tokens has a caller of its own. */
const callerFor = async ({ id }: Operation): Promise<Caller> => {
  if (["refreshToken", "deleteAccount", "changePassword"].includes(id)) return newCaller();
  if (!caller || caller.operations === operationsOfAnAccount) caller = await newCaller();
  caller.operations += 1;
  return caller;
};

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

/** Runs the curl of the documentation. */
const runCurl = async (curl: string, { account }: Caller, key: string): Promise<JsonResponse> => {
  const options = `-D head -w '\\n%{http_code}' -H 'Idempotency-Key: ${key}'`;
  const username = curl.includes("/auth/register") ? newRegistration().username : account.username;
  const script = curl.replace(/^curl -\w+/, `$& ${options}`).replaceAll("amina", username);
  const printed = await runShell(script, folder, account.token);
  const end = printed.lastIndexOf("\n");
  const headers = headersIn(await readFile(join(folder, "head"), "latin1"));
  const isJson = end > 0 && headers.get("content-type")?.startsWith("application/json");
  const text = Buffer.from(printed.slice(0, end), "latin1").toString();
  return { status: Number(printed.slice(end + 1)), headers, body: isJson ? JSON.parse(text) : text };
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

/** The headers show the limits of the caller, from which a task is taken unless it was refunded. */
const expectLimits = (operation: Operation, { headers }: JsonResponse, from: Caller, tasks: number): void => {
  const limitClass = limitClassOf(operation);
  if (limitClass === "delivery") return;
  const day = limitClass === "task" ? ', "day";q=500;w=86400' : "";
  const perMinute = operation.auth === "user" ? "50" : String.raw`\d+`;
  expect(headers.get("ratelimit-policy")).toMatch(new RegExp(`^"minute";q=${perMinute};w=60${day}$`));
  const [, , left] = /^"minute";r=\d+;t=\d+(, "day";r=(\d+);t=\d+)?$/.exec(
    headers.get("ratelimit") ?? "",
  ) ?? [""];
  expect(left === undefined ? "" : "day", headers.get("ratelimit") ?? "none").toBe(day && "day");
  if (left !== undefined) {
    expect([from.left - tasks, from.left]).toContain(Number(left));
    from.left = Number(left);
  }
  for (const [name, value] of [
    ["limit", /^\d+$/],
    ["remaining", /^\d+$/],
    ["reset", /^\d+s$/],
  ] as const)
    expect(headers.get(`x-ratelimit-${name}-requests`)).toMatch(value);
};

/** A second request with the same key gets the same response and costs nothing. Streams ignore the header. */
const expectReplay = (first: JsonResponse, second: JsonResponse): void => {
  expect(second.status).toBe(first.status);
  const isStream = /^(?:text\/event-stream|audio\/)/.test(first.headers.get("content-type") ?? "");
  expect(second.headers.get("idempotent-replayed")).toBe(isStream ? null : "true");
  if (!isStream) expect(second.body).toEqual(first.body);
};

describe.runIf(inject("isLocal"))("Every operation", () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "every-operation-"));
    await writeSampleFiles(folder, (await createAccount()).token);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("is in the documentation, and most have a curl that runs as it is written", () => {
    const ids = sampleEvents.map(({ operation }) => operation.id);
    expect(described.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect(Object.keys(notRun).filter((id) => !ids.includes(id))).toEqual([]);
  });

  it.each(sampleEvents.map((sample) => ({ ...sample, id: sample.operation.id })))(
    "$id responds as it is documented, with its caller's limits, once for an Idempotency-Key",
    async ({ id, operation, text }) => {
      const from = await callerFor(operation);
      const documented = described.find((each) => each.id === id);
      const key = randomUUID();
      const send = () =>
        documented && !(id in notRun)
          ? runCurl(documented.samples.curl, from, key)
          : sendSample(text, from, key);
      const first = await send();
      if (id in notRun) expect(first.status).not.toBe(422);
      else {
        expect(String(first.status), JSON.stringify(first.body).slice(0, 500)).toBe(documented?.status);
        const types = documented?.responses.map(({ contentType }) => contentType) ?? [];
        if (types.length > 0) expect(types).toContain(first.headers.get("content-type"));
      }
      const isJson = first.headers.get("content-type")?.startsWith("application/json");
      if (isJson && operation.errorFormat !== "oauth") expectDeclared(operation, first);
      expect(undeclaredIn(operation.method, `${baseUrl}${operation.path}`, first)).toEqual([]);
      expectLimits(
        operation,
        first,
        from,
        operation.tasksIn ? batch.parse(JSON.parse(parseEvent(text).body ?? "")).items.length : 1,
      );
      if (operation.deprecated) expectDeprecation(operation, first);
      if (idempotencyOf(operation) !== "replay") return;
      const second = await send();
      expectReplay(first, second);
      expectLimits(operation, second, from, 0);
    },
  );

  it("lets browsers read the headers about limits", async () => {
    const { headers } = await call("/health");
    const exposed = headers.get("access-control-expose-headers");
    for (const name of ["RateLimit", "RateLimit-Policy", "Retry-After", "x-ratelimit-remaining-requests"])
      expect(exposed).toContain(name);
  });
});

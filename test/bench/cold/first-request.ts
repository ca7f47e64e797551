import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import * as z from "zod";
import { makeCertificate } from "../../support/certificate.ts";
import { median } from "../statistics.ts";
import { cpuShare, withCpuShare } from "./cpu-share.ts";

const run = promisify(execFile);
const script = join(import.meta.dirname, "serve-first-request.mjs");

/** A function as it is deployed. */
export interface Bundle {
  readonly name: string;
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly memoryMegabytes: number;
}

/** What Lambda sets, with one server instead of AWS. */
export const awsVariables = (address: string): Readonly<Record<string, string>> => ({
  AWS_REGION: "us-east-1",
  AWS_ACCESS_KEY_ID: "local",
  AWS_SECRET_ACCESS_KEY: "local",
  AWS_ENDPOINT_URL: address,
  LOG_LEVEL: "SILENT",
});

/** The events that stand for a function's first request. */
export const firstEvents: Readonly<Record<string, string>> = {
  chat: "events/chat/create-chat-completion.json",
  language: "events/language/identify-language.json",
  translate: "events/translate/translate.json",
};

const newUpload =
  "<InitiateMultipartUploadResult><Bucket>audio</Bucket><Key>key</Key><UploadId>an-upload</UploadId></InitiateMultipartUploadResult>";

const account = {
  account_type: { S: "Free" },
  disabled: { BOOL: false },
  token_epoch: { N: "0" },
  email_verified: { BOOL: true },
};

/** Table, secrets, bucket and model in one. */
export const respondToCall: RequestListener = (request, response) => {
  request.resume().on("end", () => {
    if (/[?&]uploads(?:[=&]|$)/.test(request.url ?? "")) {
      response.writeHead(200, { "Content-Type": "application/xml" }).end(newUpload);
      return;
    }
    const target = String(request.headers["x-amz-target"] ?? "");
    const body = target.endsWith("GetSecretValue")
      ? { SecretString: JSON.stringify({ chat: "key", translation: "a key for signing must be this long" }) }
      : target
        ? { Attributes: account, Item: account }
        : { choices: [{ message: { content: "Webale" }, finish_reason: "stop" }] };
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  });
};

const outcomes = z.array(
  z.object({
    milliseconds: z.number(),
    /** Since the start of the process. */
    endedAtMilliseconds: z.number(),
    status: z.union([z.literal(200), z.literal(201)]),
  }),
);
type Outcome = z.infer<typeof outcomes>[number];

export interface Requests {
  readonly event: string;
  /** How often it is sent to the new environment. */
  readonly times: number;
  /** The server behind all of the function's calls. */
  readonly address: string;
  readonly processesFile: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** Options of Node itself. */
  readonly nodeArgs?: readonly string[];
}

/** Starts a function with a whole CPU and sends it requests at its share of one. */
export const sendRequests = async (
  { file, environment }: Bundle,
  { event, times, address, processesFile, variables, nodeArgs = [] }: Requests,
): Promise<Outcome[]> => {
  const env = {
    ...environment,
    ...awsVariables(address),
    AWS_ENDPOINT_URL_DYNAMODB: address,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: address,
    AWS_ENDPOINT_URL_S3: address,
    CHAT_BASE_URL: `${address}/v1`,
    TRANSLATION_BASE_URL: `${address}/v1`,
    ...variables,
  };
  const args = [...nodeArgs, script, pathToFileURL(file).href, event, processesFile, String(times)];
  const { stdout } = await run(process.execPath, args, { env });
  return outcomes.parse(JSON.parse(stdout));
};

const timesOf = (sent: readonly Outcome[]): number[] => sent.map(({ milliseconds }) => milliseconds);

const portOf = (server: ReturnType<typeof createServer>): number => (server.address() as AddressInfo).port;

/** Table, secrets and models, with TLS and without. */
export interface Servers {
  readonly plain: string;
  readonly secure: string;
  /** With them a function trusts the certificate. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Runs something with these servers. @param folder for the certificate. */
export const withServers = async <Result>(
  folder: string,
  use: (servers: Servers) => Promise<Result>,
): Promise<Result> => {
  const certificate = makeCertificate(["localhost"]);
  const trustedFile = join(folder, "certificate.pem");
  await writeFile(trustedFile, certificate.cert);
  const plain = createServer(respondToCall);
  const secure = createSecureServer(certificate, respondToCall);
  for (const server of [plain, secure]) {
    server.listen(0, "localhost");
    await new Promise((resolve) => server.once("listening", resolve));
  }
  try {
    return await use({
      plain: `http://localhost:${portOf(plain)}`,
      secure: `https://localhost:${portOf(secure)}`,
      variables: { NODE_EXTRA_CA_CERTS: trustedFile },
    });
  } finally {
    plain.close();
    secure.close();
  }
};

/**
 * How much longer the first request after a start takes when table, secrets and model are behind TLS, at the share of a
 * CPU that a small function has.
 *
 * @returns by the function's name; `undefined` where the machine offers no share of a CPU (cgroups).
 */
export const measureFirstRequests = (
  bundles: readonly Bundle[],
  rounds: number,
  { plain, secure, variables }: Servers,
): Promise<Map<string, number> | undefined> =>
  withCpuShare(cpuShare(256), async (processesFile) => {
    const ratios = new Map<string, number>();
    for (const bundle of bundles) {
      const event = firstEvents[bundle.name];
      if (event === undefined) continue;
      const [without, withTls]: [number[], number[]] = [[], []];
      const requests = { event, times: 1, processesFile, variables };
      for (let round = 0; round < rounds; round += 1) {
        without.push(...timesOf(await sendRequests(bundle, { ...requests, address: plain })));
        withTls.push(...timesOf(await sendRequests(bundle, { ...requests, address: secure })));
      }
      ratios.set(bundle.name, median(withTls) / median(without));
    }
    return ratios;
  });

/** Requests of uploads: the first only signs, the second calls S3 and so loads what that needs. */
const storageRequests = [
  { what: "creates a link, without a call to S3", event: "events/upload/generate-upload-url.json" },
  { what: "starts an upload in parts, with a call to S3", event: "events/upload/begin-upload.json" },
];

/** The first request of its kind to a new environment, and the same request right after it. */
export interface FirstUse {
  readonly what: string;
  readonly share: number;
  readonly firstMilliseconds: number;
  readonly secondMilliseconds: number;
}

/**
 * What the first use of S3 costs a new environment, at the function's share of a CPU and with a stand-in without TLS. The first
 * call may load a client.
 *
 * @returns `undefined` where the machine offers no share of a CPU (cgroups).
 */
export const measureStorage = (
  bundle: Bundle,
  rounds: number,
  address: string,
): Promise<FirstUse[] | undefined> => {
  const share = cpuShare(bundle.memoryMegabytes);
  return withCpuShare(share, async (processesFile) => {
    const measured = storageRequests.map(({ what, event }) => ({ what, event, times: [] as number[][] }));
    for (let round = 0; round < rounds; round += 1) {
      for (const { event, times } of measured) {
        times.push(timesOf(await sendRequests(bundle, { event, times: 2, address, processesFile })));
      }
    }
    const medianOf = (times: readonly (readonly number[])[], call: number): number =>
      median(times.map((each) => each[call] ?? Number.NaN));
    return measured.map(({ what, times }) => ({
      what,
      share,
      firstMilliseconds: medianOf(times, 0),
      secondMilliseconds: medianOf(times, 1),
    }));
  });
};

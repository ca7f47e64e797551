import { execFile } from "node:child_process";
import { mkdir, rmdir, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import * as z from "zod";
import { makeCertificate } from "../../support/certificate.ts";
import { median } from "../statistics.ts";

const run = promisify(execFile);
const script = join(import.meta.dirname, "serve-first-request.mjs");

/** What 256 MB of memory give of a CPU on Lambda (256 / 1,769). */
const share = 0.145;
const periodMicroseconds = 20_000;
const group = "/sys/fs/cgroup/cpu/language-ai-bench";

const outcome = z.object({ milliseconds: z.number(), status: z.literal(200) });

/** The events that stand for a function's first request. */
const events: Readonly<Record<string, string>> = {
  chat: "events/chat/create-chat-completion.json",
  language: "events/language/identify-language.json",
  translate: "events/translate/translate.json",
};

/** Table, secrets and model in one. */
export const respondToCall: RequestListener = (request, response) => {
  request.resume().on("end", () => {
    const target = String(request.headers["x-amz-target"] ?? "");
    const body = target.endsWith("GetSecretValue")
      ? { SecretString: JSON.stringify({ chat: "key", translation: "a key for signing must be this long" }) }
      : target
        ? {
            Attributes: {
              account_type: { S: "Free" },
              disabled: { BOOL: false },
              token_epoch: { N: "0" },
              email_verified: { BOOL: true },
            },
          }
        : { choices: [{ message: { content: "Webale" }, finish_reason: "stop" }] };
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  });
};

/**
 * How much longer the first request after a start takes when table, secrets and model are behind TLS, at the share of a
 * CPU that a small function has.
 *
 * @returns by the function's name; `undefined` where the machine offers no share of a CPU (cgroups).
 */
export const measureFirstRequests = async (
  bundles: readonly { readonly name: string; readonly file: string; readonly environment: object }[],
  rounds: number,
  folder: string,
): Promise<Map<string, number> | undefined> => {
  try {
    await mkdir(group, { recursive: true });
    await writeFile(join(group, "cpu.cfs_period_us"), String(periodMicroseconds));
    await writeFile(join(group, "cpu.cfs_quota_us"), String(periodMicroseconds * share));
  } catch {
    return undefined;
  }
  const certificate = makeCertificate(["localhost"]);
  // The functions get its certificate as trusted.
  const trustedFile = join(folder, "certificate.pem");
  await writeFile(trustedFile, certificate.cert);
  const plain = createServer(respondToCall);
  const secure = createSecureServer(certificate, respondToCall);
  for (const server of [plain, secure]) {
    server.listen(0, "localhost");
    await new Promise((resolve) => server.once("listening", resolve));
  }
  const portOf = (server: typeof plain): number => (server.address() as AddressInfo).port;
  const addresses = [`http://localhost:${portOf(plain)}`, `https://localhost:${portOf(secure)}`];
  const ask = async ({ name, file, environment }: (typeof bundles)[number], address: string) => {
    const env = {
      ...environment,
      AWS_REGION: "us-east-1",
      AWS_ENDPOINT_URL: address,
      AWS_ENDPOINT_URL_DYNAMODB: address,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: address,
      CHAT_BASE_URL: `${address}/v1`,
      TRANSLATION_BASE_URL: `${address}/v1`,
      LOG_LEVEL: "SILENT",
      NODE_EXTRA_CA_CERTS: trustedFile,
    };
    const args = [script, pathToFileURL(file).href, events[name] ?? "", join(group, "cgroup.procs")];
    const { stdout } = await run(process.execPath, args, { env });
    return outcome.parse(JSON.parse(stdout)).milliseconds;
  };
  try {
    const ratios = new Map<string, number>();
    for (const bundle of bundles.filter(({ name }) => name in events)) {
      const [without, withTls]: [number[], number[]] = [[], []];
      for (let round = 0; round < rounds; round += 1) {
        without.push(await ask(bundle, addresses[0] ?? ""));
        withTls.push(await ask(bundle, addresses[1] ?? ""));
      }
      ratios.set(bundle.name, median(withTls) / median(without));
    }
    return ratios;
  } finally {
    plain.close();
    secure.close();
    await rmdir(group).catch(() => undefined);
  }
};

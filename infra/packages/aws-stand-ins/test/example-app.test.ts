import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import {
  type LocalApplication,
  localCredentials,
  localRegion,
  type ServeOptions,
  serveAssembly,
} from "@language-ai/aws-stand-ins";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { synthesizeNotebook } from "./example-app/app.ts";

let directory: string;
let assembly: string;
let application: LocalApplication;
const log: string[] = [];

const serve = (options: Partial<ServeOptions> = {}): Promise<LocalApplication> =>
  serveAssembly({
    assembly,
    dataDirectory: join(directory, "data"),
    log: (line) => log.push(line),
    ...options,
  });

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "example-app-"));
  const functions = ["notes", "worker", "greeting"];
  await build({
    entryPoints: Object.fromEntries(
      functions.map((name) => [
        `${name}/index`,
        join(import.meta.dirname, "example-app/functions", `${name}.ts`),
      ]),
    ),
    outdir: join(directory, "bundles"),
    bundle: true,
    platform: "node",
    format: "esm",
    outExtension: { ".js": ".mjs" },
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
  });
  assembly = synthesizeNotebook(join(directory, "bundles"), join(directory, "cdk.out"));
  application = await serve();
}, 60_000);
afterAll(async () => {
  await application.close();
  await rm(directory, { recursive: true });
});

/** Reads a note as soon as the worker has written it. */
const readNote = (id: string): Promise<unknown> =>
  vi.waitFor(
    async () => {
      const response = await fetch(`${application.url}/notes?id=${id}`);
      expect(response.status).toBe(200);
      return response.json();
    },
    { timeout: 10_000, interval: 50 },
  );

const postNote = async (text: string): Promise<string> => {
  const response = await fetch(`${application.url}/notes`, { method: "POST", body: text });
  expect(response.status).toBe(202);
  return z.object({ id: z.string() }).parse(await response.json()).id;
};

const putOnQueue = async (body: object): Promise<void> => {
  const { model, standIns } = application;
  const client = new SQSClient({
    endpoint: standIns.endpoints.sqs,
    region: localRegion,
    credentials: localCredentials,
  });
  const QueueUrl = standIns.sqs?.queueUrl(model.queues[0]?.name ?? "");
  await client.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(body) }));
  client.destroy();
};

describe("An unrelated CDK app", () => {
  it("has its route served by its function, which reaches the queue and the table by the names it was given", async () => {
    expect(await readNote(await postNote("Oli otya?"))).toEqual({ text: "Oli otya?" });
    const missing = await fetch(`${application.url}/notes?id=none`);
    expect([missing.status, await missing.json()]).toEqual([404, { message: "There is no such note." }]);
  });

  it("has what its function URL streams passed on piece by piece", async () => {
    const [url = ""] = application.functionUrls.values();
    const response = await fetch(url);
    expect(response.headers.get("content-type")).toBe("text/plain");
    const pieces: string[] = [];
    for await (const piece of response.body ?? []) pieces.push(Buffer.from(piece).toString());
    expect(pieces).toEqual(["Hello, ", "world!"]);
  });

  it("has messages delivered that come from outside", async () => {
    await putOnQueue({ id: "from-outside", text: "Webale" });
    expect(await readNote("from-outside")).toEqual({ text: "Webale" });
    expect(await application.standIns.sqs?.whenIdle(5_000)).toBe(true);
  });

  it("has its functions invoked by name, with an event of one's own", async () => {
    const worker = application.model.functions.find(({ name }) => name.startsWith("worker"));
    const result = await application.invoke(worker?.name ?? "", {
      Records: [{ body: JSON.stringify({ id: "invoked", text: "x" }) }],
    });
    expect(result).toEqual({ kind: "buffered", payload: Buffer.from('{"batchItemFailures":[]}') });
    expect(await readNote("invoked")).toEqual({ text: "x" });
  });

  it("finds its data again when it is served again, and accepts routes and variables of this machine", async () => {
    const id = await postNote("kept");
    await readNote(id);
    await application.close();
    application = await serve({
      localRoutes: ({ url, model }) => ({
        "GET /_local/functions": async () => ({
          status: 200,
          body: JSON.stringify({ url, functions: model.functions.length }),
        }),
      }),
      configureFunction: () => ({ environment: { TABLE_NAME: "another-table" } }),
    });
    const local = await fetch(`${application.url}/_local/functions`);
    expect(await local.json()).toEqual({ url: application.url, functions: 3 });
    expect((await fetch(`${application.url}/notes?id=${id}`)).status).toBe(502);
    // As on AWS: the function may not even learn that this table does not exist.
    expect(log.join("\n")).toContain("AccessDeniedException");

    await application.close();
    application = await serve();
    expect(await readNote(id)).toEqual({ text: "kept" });
  });

  it("runs changed code on request", async () => {
    const greeting = application.model.functions.find(({ name }) => name.startsWith("greeting"));
    const file = join(greeting?.assetDirectory ?? "", "index.mjs");
    const invoke = () => application.invoke(greeting?.name ?? "", {});
    expect(await invoke()).toMatchObject({ kind: "stream", contentType: "text/plain" });
    await writeFile(file, 'export const handler = async () => "changed";');
    await application.recycle();
    expect(await invoke()).toEqual({ kind: "buffered", payload: Buffer.from('"changed"') });
  });

  it("leaves nothing running when it cannot be served", async () => {
    const { port } = new URL(application.url);
    const dataDirectory = join(directory, "other-data");
    const refused = () => serve({ dataDirectory, ports: { restApi: Number(port) } });
    await expect(refused()).rejects.toThrow(`Port ${port} is in use.`);
    // The data directory has been let go of.
    await expect(refused()).rejects.toThrow(`Port ${port} is in use.`);
    await expect(serve({ dataDirectory, assembly: join(directory, "no-such-assembly") })).rejects.toThrow(
      "manifest.json",
    );
  });
});

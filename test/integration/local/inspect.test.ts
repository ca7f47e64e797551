import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LambdaService } from "@language-ai/aws-stand-ins";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { chooseInspected, configureFunction } from "../../../infra/local/functions.ts";
import { readLocalSettings } from "../../../infra/local/settings.ts";

const source = `
  export const handler = async (event, context) => {
    if (event.pause) debugger;
    return context.getRemainingTimeInMillis();
  };
`;
const settings = readLocalSettings({ INSPECT_PORT: "0" });
const targets = z.tuple([z.object({ webSocketDebuggerUrl: z.url() })]);
const debuggerMessage = z.object({ id: z.int().optional(), method: z.string().optional() });

let directory: string;
let functions: LambdaService;
let port: number;

/** A debugger that reports when the function pauses. */
const attach = async () => {
  const response = await fetch(`http://127.0.0.1:${port}/json/list`);
  const [{ webSocketDebuggerUrl }] = targets.parse(await response.json());
  const socket = new WebSocket(webSocketDebuggerUrl);
  await once(socket, "open");
  const send = (id: number, method: string) => socket.send(JSON.stringify({ id, method }));
  const paused = Promise.withResolvers<void>();
  const enabled = Promise.withResolvers<void>();
  socket.addEventListener("message", ({ data }) => {
    const { id, method } = debuggerMessage.parse(JSON.parse(data));
    if (method === "Debugger.paused") paused.resolve();
    if (id === 1) enabled.resolve();
  });
  send(1, "Debugger.enable");
  await enabled.promise;
  return { paused: paused.promise, resume: () => send(2, "Debugger.resume"), detach: () => socket.close() };
};

const invoke = async (feature: string, event: object): Promise<unknown> => {
  const result = await functions.invoke(`Functions-${feature}`, event);
  if (result.kind !== "buffered") throw new Error(`The function ended with ${JSON.stringify(result)}.`);
  return JSON.parse(result.payload.toString());
};

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "language-ai-inspect-"));
  const definitions = ["chat", "docs"].map((feature) => ({
    logicalId: feature,
    name: `Functions-${feature}`,
    arn: `arn:aws:lambda:us-east-1:000000000000:function:Functions-${feature}`,
    assetDirectory: join(directory, feature),
    handler: "index.handler",
    timeoutSeconds: 5,
    memoryMegabytes: 128,
    environment: {},
    role: { name: feature, statements: [] },
    logGroup: undefined,
  }));
  for (const { assetDirectory } of definitions) {
    await mkdir(assetDirectory);
    await writeFile(join(assetDirectory, "index.mjs"), source);
  }
  const inspected = await chooseInspected("chat", settings);
  port = inspected.port;
  const configure = configureFunction(settings, inspected);
  functions = new LambdaService({
    functions: definitions.map((definition) => ({
      ...definition,
      directory: definition.assetDirectory,
      environment: {},
      ...configure(definition),
    })),
    log: () => undefined,
  });
  await functions.startInspected();
});
afterAll(async () => {
  await functions.close();
  await rm(directory, { recursive: true, force: true });
});

describe("a function that is inspected", () => {
  it("stops where its debugger requests, from its first call on, and continues on command", async () => {
    const { paused, resume, detach } = await vi.waitFor(attach, { timeout: 10_000 });
    const invocation = invoke("chat", { pause: true });
    await paused;
    resume();
    expect(await invocation).toBeGreaterThan(0);
    detach();
  });

  it("has a day instead of its own timeout, so that nothing ends it during debugging", async () => {
    expect(await invoke("chat", {})).toBeGreaterThan(23 * 60 * 60_000);
    expect(await invoke("docs", {})).toBeLessThanOrEqual(5_000);
  });

  it("can be debugged again once its code is reloaded", async () => {
    await functions.recycle();
    const { paused, resume, detach } = await vi.waitFor(attach, { timeout: 10_000 });
    const invocation = invoke("chat", { pause: true });
    await paused;
    resume();
    expect(await invocation).toBeGreaterThan(0);
    detach();
  });

  it("needs a port that is free", async () => {
    const taken = readLocalSettings({ INSPECT_PORT: String(port) });
    await expect(chooseInspected("docs", taken)).rejects.toThrow(
      `Port ${port} is in use. Set INSPECT_PORT to another port.`,
    );
  });
});

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { evaluationSchema } from "../../functions/site/quality/evaluation.ts";
import { type LoopbackServer, listenOnLoopback } from "../support/loopback-server.ts";
import { runCommand } from "../support/run-service.ts";

/** A response of the service to a text. */
type Respond = (sent: string, response: ServerResponse, count: number) => void;

const send = (response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}) =>
  void response
    .writeHead(status, { "Content-Type": "application/json", ...headers })
    .end(JSON.stringify(body));

const translation = (sent: string) => ({ output: { translated_text: sent }, usage: { total_tokens: 10 } });

describe("npm run evaluate", () => {
  let folder: string;
  let service: LoopbackServer | undefined;
  const requests: string[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "evaluate-"));
    requests.length = 0;
  });
  afterEach(async () => {
    await service?.close();
    await rm(folder, { recursive: true });
  });

  /** Starts a service that repeats texts as their translations, unless a test says otherwise. */
  const serve = async (respond: Respond) => {
    const listener = async (request: IncomingMessage, response: ServerResponse) => {
      const body: { readonly text: string } = JSON.parse(await text(request));
      requests.push(body.text);
      respond(body.text, response, requests.length);
    };
    service = await listenOnLoopback(createServer((request, response) => void listener(request, response)));
    return service.url;
  };

  const writePairs = async (count: number) => {
    const rows = Array.from(
      { length: count },
      (_, index) => `eng\tlug\tsentence ${index}\tsentence ${index}`,
    );
    await writeFile(
      join(folder, "pairs.tsv"),
      `source_language\ttarget_language\tsource\ttarget\n${rows.join("\n")}\n`,
    );
  };

  const start = (url: string, ...args: readonly string[]) =>
    runCommand(
      "infra/commands/evaluate.ts",
      ["--base-url", url, "--key", "key", "--data", folder, "--out", join(folder, "out"), ...args],
      {},
    );

  const outputsFile = () => join(folder, "out", "outputs.jsonl");
  const readLines = async () => {
    const content = await readFile(outputsFile(), "utf8").catch(() => "");
    return content.split("\n").filter((line) => line !== "");
  };
  const readEvaluation = async () =>
    evaluationSchema.parse(JSON.parse(await readFile(join(folder, "out", "evaluation.json"), "utf8")));

  it("continues where it was killed, even within a line", async () => {
    await writePairs(60);
    const url = await serve((sent, response) => {
      setTimeout(() => send(response, 200, translation(sent)), 40);
    });
    const killed = start(url);
    while ((await readLines()).length < 12) await pause(20);
    killed.child.kill("SIGKILL");
    await killed.ended;
    const stored = (await readLines()).length;
    expect(stored).toBeLessThan(60);
    await writeFile(outputsFile(), '{"task":"translation","id":"tor', { flag: "a" });

    const sentBefore = requests.length;
    const again = start(url);
    expect(await again.ended).toBe(0);
    expect(again.output()).toContain(`${stored} of 60 items`);
    // Only what was in progress when it was killed is sent twice.
    expect(requests.length - sentBefore).toBe(60 - stored);
    const ids = (await readLines()).map((line): unknown => JSON.parse(line).id);
    expect([ids.length, new Set(ids).size]).toEqual([60, 60]);
    expect(await readEvaluation()).toMatchObject({
      translation: [{ items: 60, without_output: 0, chrf: { score: 100, interval: [100, 100] } }],
    });

    const third = start(url);
    expect(await third.ended).toBe(0);
    expect(requests.length).toBe(sentBefore + 60 - stored);
  });

  it("waits as long as Retry-After says, and reports it", async () => {
    await writePairs(3);
    const limitedAt: number[] = [];
    const resumedAt: number[] = [];
    const url = await serve((sent, response, count) => {
      if (count === 1) {
        limitedAt.push(performance.now());
        send(response, 429, {}, { "Retry-After": "1" });
        return;
      }
      resumedAt.push(performance.now());
      send(response, 200, translation(sent));
    });
    const run = start(url, "--parallel", "1");
    expect(await run.ended).toBe(0);
    expect(run.output()).toContain("The service asks to wait 1 s.");
    expect((resumedAt[0] ?? 0) - (limitedAt[0] ?? 0)).toBeGreaterThanOrEqual(950);
    expect(requests).toEqual(["sentence 0", "sentence 0", "sentence 1", "sentence 2"]);
  });

  it("ends a request that gets no response, and leaves the item for the next run", async () => {
    await writePairs(2);
    let isSilent = true;
    const url = await serve((sent, response) => {
      if (!(isSilent && sent === "sentence 1")) send(response, 200, translation(sent));
    });
    const run = start(url, "--timeout", "0.2", "--parallel", "1");
    expect(await run.ended).toBe(1);
    expect(run.output()).toContain("1 of 2 items failed, the first because no response in 0.2 seconds.");
    expect(requests.filter((sent) => sent === "sentence 1")).toHaveLength(4);
    expect(await readEvaluation()).toMatchObject({ translation: [{ items: 1, without_output: 1 }] });
    isSilent = false;
    expect(await start(url).ended).toBe(0);
    expect(await readEvaluation()).toMatchObject({ translation: [{ items: 2, without_output: 0 }] });
  });

  it("shows which servers responded", async () => {
    await writePairs(4);
    const url = await serve((sent, response, count) =>
      send(response, 200, translation(sent), { "X-Model-Server": count === 1 ? "spare" : "gpu" }),
    );
    expect(await start(url).ended).toBe(0);
    expect(await readEvaluation()).toMatchObject({ translation: [{ servers: ["gpu", "spare"] }] });
  });

  it("does not mix the outputs of two services, and takes no other server for one", async () => {
    await writePairs(1);
    const url = await serve((sent, response) => send(response, 200, translation(sent)));
    expect(await start(url).ended).toBe(0);
    const other = start("http://127.0.0.1:9");
    expect(await other.ended).toBe(1);
    expect(other.output()).toContain(`has the outputs of ${url}; name another folder with --out.`);

    await service?.close();
    const stranger = await serve((_sent, response) => void response.writeHead(404).end("<h1>Not here</h1>"));
    const run = start(stranger, "--out", join(folder, "stranger"));
    expect(await run.ended).toBe(1);
    expect(run.output()).toContain("The server responded with 404, and not as this service does");
    expect(requests).toHaveLength(2);
  });
});

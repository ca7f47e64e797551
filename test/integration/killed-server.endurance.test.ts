import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Backend } from "../../shared/models/inference/openai/backend.ts";
import { endurance } from "../support/endurance.ts";
import type { LoopbackServer } from "../support/loopback-server.ts";
import { modelServer } from "../support/model-servers.ts";
import { everyTask, type ModelTaskRequest, type TaskName, tasks } from "../support/model-tasks.ts";
import { type RunningCommand, runCommand } from "../support/run-service.ts";
import { serveStreaming } from "../support/streaming-server.ts";

interface ModelProcess extends RunningCommand {
  readonly baseUrl: string;
}

const running: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of running.splice(0)) await each.close();
});

const startModel = async (): Promise<ModelProcess> => {
  const command = runCommand("test/integration/model-server-process.ts", [], {});
  running.push({ close: () => command.child.kill("SIGKILL") });
  const port = await vi.waitFor(
    () => /^port (\d+)$/m.exec(command.output())?.[1] ?? expect.fail("not ready"),
    {
      timeout: 20_000,
    },
  );
  return { ...command, baseUrl: `http://127.0.0.1:${port}/v1` };
};

const backend = (name: string, { baseUrl }: ModelProcess, order: number): Backend =>
  modelServer({ name, baseUrl, order, silenceMilliseconds: 5_000 });

/** The outcome of a request: `started` if it had got a part of its response when the server was killed. */
type Outcome = "complete" | "started" | "failed";

/** All that a caller receives, and when the first part of it came. */
const receive = async (response: Response) => {
  let text = "";
  let startedAt = Number.POSITIVE_INFINITY;
  try {
    const decoder = new TextDecoder("latin1");
    for await (const piece of response.body ?? []) {
      startedAt = Math.min(startedAt, performance.now());
      text += decoder.decode(piece, { stream: true });
    }
    return { text, startedAt, isWhole: !/"error"/.test(text) };
  } catch {
    return { text, startedAt, isWhole: false };
  }
};

/** The pieces of a streamed reply, in the order in which they came. */
const piecesIn = (text: string): string[] =>
  [...text.matchAll(/"content":"(\d+) "/g)].map(([, piece = ""]) => piece);

/** What all callers share. */
interface Run {
  killedAt: number;
  isOver: boolean;
  readonly outcomes: Outcome[];
  readonly servers: Set<string>;
}

/** Sends requests, one after another, until told to end. */
const sendAll = async (name: TaskName, url: string, run: Run): Promise<void> => {
  const { request }: ModelTaskRequest = tasks[name];
  const { path, body, headers } = await request();
  const bytes = body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body);
  while (!run.isOver) {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: bytes,
    });
    run.servers.add(response.headers.get("x-model-server") ?? "none");
    const { text, startedAt, isWhole } = await receive(response);
    // A reply that another server had started again would have its first pieces twice.
    expect(piecesIn(text)).toEqual(piecesIn(text).map((_, index) => String(index)));
    const isComplete = response.status === 200 && isWhole;
    run.outcomes.push(
      isComplete ? "complete" : response.ok && startedAt < run.killedAt ? "started" : "failed",
    );
  }
};

describe("when the first server is killed while it works on many requests", () => {
  it.each(everyTask)(
    "fewer than one in a thousand of those of %s that had not started fail",
    { timeout: endurance(60_000, 180_000) },
    async (name) => {
      const [gpu, hosted] = await Promise.all([startModel(), startModel()]);
      const { endpoints }: ModelTaskRequest = tasks[name];
      const service: LoopbackServer = await serveStreaming(
        endpoints([backend("gpu", gpu, 1), backend("hosted", hosted, 2)]),
      );
      running.push(service);
      const run: Run = {
        killedAt: Number.POSITIVE_INFINITY,
        isOver: false,
        outcomes: [],
        servers: new Set(),
      };
      const { outcomes, servers } = run;
      const callers = Array.from({ length: 24 }, () => sendAll(name, service.url, run));
      const passes = (requests: number, milliseconds: number) =>
        endurance<() => Promise<unknown>>(
          () => vi.waitFor(() => expect(outcomes.length).toBeGreaterThan(requests), { timeout: 30_000 }),
          () => sleep(milliseconds),
        )();
      await passes(160, 20_000);
      gpu.child.kill("SIGKILL");
      await gpu.ended;
      run.killedAt = performance.now();
      await passes(320, 40_000);
      run.isOver = true;
      await Promise.all(callers);
      const count = (outcome: Outcome) => outcomes.filter((each) => each === outcome).length;
      expect(servers).toEqual(new Set(["gpu", "hosted"]));
      expect(outcomes.length).toBeGreaterThan(300);
      const notStarted = outcomes.length - count("started");
      expect(
        count("complete") / notStarted,
        JSON.stringify({ failed: count("failed"), notStarted }),
      ).toBeGreaterThanOrEqual(0.999);
      // Only replies in progress can have started.
      expect(count("started")).toBeLessThanOrEqual(name === "streamed chat" || name === "speech" ? 24 : 0);
    },
  );
});

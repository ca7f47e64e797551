import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { checkService } from "../../../functions/canary/check-service.ts";
import type { TaskOutcomes } from "../../../shared/platform/status/status-log.ts";

let server: Server;
afterEach(() => new Promise((resolve) => server.close(resolve)));

/** A service that records requests, and responds as the test says. */
const serve = async (respond: (path: string) => { status: number; body: unknown }) => {
  const requested: string[] = [];
  server = createServer((request, response) => {
    void text(request).then((body) => {
      requested.push(
        `${request.method} ${request.url} ${request.headers.authorization ?? "-"} ${body}`.trim(),
      );
      const { status, body: given } = respond(request.url ?? "");
      response.writeHead(status).end(JSON.stringify(given));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return { requested, publicBaseUrl: `http://127.0.0.1:${port}/prod` };
};

const responses: Readonly<Record<string, unknown>> = {
  "/prod/health": { status: "ok" },
  "/prod/tasks/translate": { output: { translated_text: "amazzi" } },
  "/prod/tasks/language_id": { language: "lug" },
  "/prod/tasks/audio/transcriptions": { text: "" },
  "/prod/tasks/audio/speech": "RIFF",
  "/prod/tasks/chat/completions": { choices: [{ message: { content: "Yes." } }] },
};

const healthy = (path: string) => ({ status: 200, body: responses[path] });

/** Runs the canary, and returns what it has noted. */
const run = async (publicBaseUrl: string, key: string | undefined) => {
  const noted: TaskOutcomes[] = [];
  const log = { add: async (outcomes: TaskOutcomes) => void noted.push(outcomes) };
  const failure = await checkService({ publicBaseUrl, readKey: async () => key, log }).then(
    () => undefined,
    (error: unknown) => String(error),
  );
  return { noted, failure };
};

const all = { service: true, translate: true, identify: true, transcribe: true, speak: true, chat: true };

describe("the canary", () => {
  it("requests health and each task with its key, and notes what works", async () => {
    const { requested, publicBaseUrl } = await serve(healthy);
    expect(await run(publicBaseUrl, "operators")).toEqual({ noted: [all], failure: undefined });
    expect(requested[0]).toBe("GET /prod/health -");
    expect(requested).toContain(
      'POST /prod/tasks/translate Bearer operators {"text":"water","source_language":"eng","target_language":"lug"}',
    );
    expect(requested.map((line) => line.split(" ")[1]).toSorted()).toEqual(Object.keys(responses).toSorted());
  });

  it("requests health only, as long as it has no key", async () => {
    const { requested, publicBaseUrl } = await serve(healthy);
    expect(await run(publicBaseUrl, undefined)).toEqual({ noted: [{ service: true }], failure: undefined });
    expect(requested).toEqual(["GET /prod/health -"]);
  });

  it("does not measure tasks that its key may not use", async () => {
    const refusal = { status: 403, body: { error: { code: "insufficient_scope" } } };
    const { publicBaseUrl } = await serve((path) => (path.includes("/audio/") ? refusal : healthy(path)));
    const { transcribe: _transcribe, speak: _speak, ...others } = all;
    expect(await run(publicBaseUrl, "operators")).toEqual({ noted: [others], failure: undefined });
  });

  it.each([
    ["/prod/health", 503, {}, "service", "/prod/health returned status 503"],
    ["/prod/tasks/translate", 401, {}, "translate", "/prod/tasks/translate returned status 401"],
    ["/prod/tasks/translate", 200, { output: { translated_text: "" } }, "translate", "translated_text"],
    ["/prod/tasks/chat/completions", 403, { error: { code: "forbidden" } }, "chat", "status 403"],
    ["/prod/tasks/audio/speech", 502, {}, "speak", "status 502"],
  ])(
    "fails when %s returns %i %j, and notes that the others work",
    async (broken, status, body, task, reason) => {
      const { publicBaseUrl } = await serve((path) => (path === broken ? { status, body } : healthy(path)));
      const { noted, failure } = await run(publicBaseUrl, "operators");
      expect(noted).toEqual([{ ...all, [task]: false }]);
      expect(failure).toContain(reason);
    },
  );
});

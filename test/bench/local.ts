/**
 * `npm run bench -- local`: what the local service costs. Prints how soon it is ready, the memory of its processes at rest, and the
 * cost of a warm call: of the health check compared with the same handler in one process, of the first byte of a chat and of
 * speech compared with the model's server. All in the same run.
 */

import { Agent, request } from "node:http";
import { processFamily } from "../load/processes.ts";
import { healthInProcess } from "../support/built-handler.ts";
import { type BenchService, readOnce, say, withService } from "./bench-service.ts";
import { mockModel, requestBody } from "./compare/model-responses.ts";
import { startProcess, stopProcess } from "./processes.ts";
import { textFor } from "./speech/audio-model.ts";
import { median } from "./statistics.ts";

const once = readOnce(
  "local",
  "Measures how soon the local service is ready, its memory, and warm calls.",
  "it does little.",
);
const [starts, warmUps, calls] = once ? [1, 1, 1] : [3, 50, 500];

/** The median of what some work took. @param work returns milliseconds. */
const medianOf = async (work: () => Promise<number>, times = calls): Promise<number> => {
  for (let warmUp = 0; warmUp < warmUps; warmUp += 1) await work();
  const measured: number[] = [];
  for (let index = 0; index < times; index += 1) measured.push(await work());
  return median(measured);
};

const timed = (work: () => Promise<unknown>) => async (): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
};

/** Resident memory of a process and everything it started. */
const treeMegabytes = (root: number): number =>
  processFamily(root).reduce((sum, { megabytes }) => sum + megabytes, 0);

const agent = new Agent({ keepAlive: true });

interface Call {
  readonly url: string;
  readonly body?: string;
  readonly token?: string;
}

/** Sends a request and reads the response. @returns when its first byte came, in milliseconds. */
const firstByte = ({ url, body, token }: Call): Promise<number> =>
  new Promise((resolve, reject) => {
    const startedAt = performance.now();
    let milliseconds = Number.NaN;
    const headers = {
      "Content-Type": "application/json",
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    };
    const sent = request(url, { agent, method: body === undefined ? "GET" : "POST", headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} responds with ${response.statusCode}.`));
      response.once("data", () => {
        milliseconds = performance.now() - startedAt;
      });
      response.resume().once("end", () => resolve(milliseconds));
    });
    sent.once("error", reject).end(body);
  });

/** The same work at the model's server and through the service. */
const comparedCalls = (modelUrl: string, { url, token }: BenchService) => {
  const reply = { tokens: 5, pauseMilliseconds: 0 };
  const text = textFor(1);
  const speech = { text, response_mode: "stream", audio_format: "wav" };
  return {
    "a chat": [
      { url: `${modelUrl}/chat/completions`, body: requestBody(mockModel, reply) },
      { url: `${url}/tasks/chat/completions`, body: requestBody("lang-14b", reply), token },
    ],
    speech: [
      { url: `${modelUrl}/audio/speech`, body: JSON.stringify({ model: "mock", input: text, voice: "any" }) },
      { url: `${url}/tasks/audio/speech`, body: JSON.stringify(speech), token },
    ],
  } satisfies Record<string, [direct: Call, through: Call]>;
};

const readySeconds: number[] = [];
for (let round = 0; round < starts; round += 1) {
  await withService({}, async (service) => void readySeconds.push(service.readySeconds));
}
say(`ready after                        ${readySeconds.map((seconds) => seconds.toFixed(1)).join(", ")} s`);

const model = await startProcess("compare/mock-process.ts");
const variables = { CHAT_BASE_URL: model.url, SPEECH_BASE_URL: model.url, SPEECH_MODEL: "mock" };
await withService(variables, async (service) => {
  const restMegabytes = treeMegabytes(service.pid);
  const overHttp = await medianOf(() => firstByte({ url: `${service.url}/health` }));
  const inProcess = await medianOf(timed(await healthInProcess(service.folder)));
  const warmMegabytes = treeMegabytes(service.pid);
  say(
    `memory at rest, all processes      ${restMegabytes.toFixed(0)} MB (after the first calls ${warmMegabytes.toFixed(0)} MB)`,
  );
  for (const [name, [direct, through]] of Object.entries(comparedCalls(model.url, service))) {
    const [alone, behind] = [
      await medianOf(() => firstByte(direct), calls / 5),
      await medianOf(() => firstByte(through), calls / 5),
    ];
    say(
      `first byte of ${name.padEnd(21)}${(behind - alone).toFixed(2)} ms later than the model's server (${alone.toFixed(2)} ms)`,
    );
  }
  say(`warm GET /health over HTTP         ${overHttp.toFixed(2)} ms (median of ${calls})`);
  say(`the same handler in-process        ${inProcess.toFixed(2)} ms`);
  say(`so the gateway and Lambda add      ${(overHttp - inProcess).toFixed(2)} ms`);
});
agent.destroy();
await stopProcess(model);

/**
 * A model's server in a process of its own, which a test can kill: it responds to each task after a moment. Prints its port.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { completion } from "../support/fake-backend.ts";
import { delta, finish, role, sendEvents, startEvents } from "../support/fake-stream.ts";
import { audioBytes, wavFile } from "../support/wav.ts";

const milliseconds = 20;

/** How many pieces a streamed reply has. */
const pieces = 10;

const stream = async (response: ServerResponse): Promise<void> => {
  startEvents(response);
  sendEvents(response, role);
  for (let piece = 0; piece < pieces; piece += 1) {
    sendEvents(response, delta(`${piece} `));
    await sleep(milliseconds);
  }
  sendEvents(response, finish(), "[DONE]");
  response.end();
};

const sendJson = (response: ServerResponse, body: object): void => {
  response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(body));
};

const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const body = await buffer(request);
  await sleep(milliseconds);
  const path = request.url ?? "";
  if (path.endsWith("/audio/transcriptions")) return sendJson(response, { text: "Wasuze otya nno?" });
  if (path.endsWith("/audio/speech")) {
    response.writeHead(200, { "Content-Type": "audio/wav" }).end(wavFile(audioBytes(4_000)));
    return;
  }
  if (JSON.parse(body.toString()).stream) return stream(response);
  sendJson(response, completion("Oli otya?"));
};

const server = createServer((request, response) => {
  respond(request, response).catch(() => response.destroy());
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`port ${(server.address() as AddressInfo).port}\n`);
});

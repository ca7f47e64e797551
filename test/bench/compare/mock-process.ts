/**
 * The model's server, DynamoDB and Secrets Manager in one process that costs very little and counts its calls.
 *
 * DynamoDB and Secrets Manager are the stand-ins of `AWS_ENDPOINT_URL_…` in this process's environment: they handle
 * each call twice, and repetitions are served from memory. So every call of the product gets a correct response.
 */
import { createServer, type Socket } from "node:net";
import { localCredentials, localRegion } from "@language-ai/aws-stand-ins";
import { listen, serveParent } from "../child-process.ts";
import { respondWithAudio } from "../speech/audio-model.ts";
import { type ModelReply, readInstruction, streamFrames, wholeBody } from "./model-responses.ts";
import { readMessages } from "./read-messages.ts";

const counts = { model: 0, DynamoDB: 0, SecretsManager: 0, forwarded: 0 };

const statusLine = (status: number): string => `HTTP/1.1 ${status} \r\n`;
const respond = (contentType: string, body: string, status = 200): string =>
  `${statusLine(status)}Content-Type: ${contentType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: keep-alive\r\n\r\n${body}`;
const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

const whole = respond("application/json", wholeBody);
const streamHead =
  "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nCache-Control: no-cache\r\n" +
  `Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n${chunk(streamFrames.role)}`;
const token = chunk(streamFrames.token);
/** At full speed tokens leave a hundred at a time, as several do from a server under load. */
const batchSize = 100;
const batch = token.repeat(batchSize);

/** Paced streams are spread over this many moments of a pause. */
const moments = 64;
let pacedStreams = 0;

/**
 * When a paced stream begins. What a token costs depends on how many arrive in the same moment, and a gateway that begins its
 * streams faster than another would get them closer together: here the streams of all gateways are spread evenly.
 */
const startOf = (pauseMilliseconds: number): number => {
  pacedStreams += 1;
  const now = performance.now();
  const moment = ((pacedStreams % moments) / moments) * pauseMilliseconds;
  return pauseMilliseconds > 0 ? Math.ceil(now / pauseMilliseconds) * pauseMilliseconds + moment : now;
};

const stream = (socket: Socket, { tokens, pauseMilliseconds }: ModelReply): void => {
  const startedAt = startOf(pauseMilliseconds);
  let sent = 0;
  const step = (): void => {
    if (socket.destroyed) return;
    const size = pauseMilliseconds > 0 ? 1 : Math.min(batchSize, tokens - sent);
    sent += size;
    const text = size === batchSize ? batch : token.repeat(size);
    if (sent >= tokens) {
      socket.write(`${text}${chunk(streamFrames.end(tokens))}0\r\n\r\n`);
    } else if (!socket.write(text)) socket.once("drain", step);
    else if (pauseMilliseconds === 0) setImmediate(step);
    else setTimeout(step, Math.max(0, startedAt + (sent + 1) * pauseMilliseconds - performance.now()));
  };
  socket.write(streamHead);
  if (pauseMilliseconds === 0) setImmediate(step);
  else setTimeout(step, startedAt + pauseMilliseconds - performance.now());
};

type Service = "DynamoDB" | "SecretsManager";
const endpoints: Readonly<Record<Service, string | undefined>> = {
  DynamoDB: process.env["AWS_ENDPOINT_URL_DYNAMODB"],
  SecretsManager: process.env["AWS_ENDPOINT_URL_SECRETS_MANAGER"],
};
/** Responses by operation and body. The counters' names change with the minute, and the bodies with them. */
const remembered = new Map<string, Promise<string>>();
/**
 * Bodies handled once. Their response is not repeated: it may belong to an account's first request in a minute or a
 * day, which does more than the others.
 */
const respondedOnce = new Set<string>();
/** Each stream takes a slot with a name of its own; which one does not matter. */
const slotName = /"\d{10}\.[\w-]{8}"/g;

/** The stand-ins' own key, which may do everything. They do not check signatures. */
const authorization = `AWS4-HMAC-SHA256 Credential=${localCredentials.accessKeyId}/20260101/${localRegion}/service/aws4_request`;

const forward = async (service: Service, target: string, body: string): Promise<string> => {
  counts.forwarded += 1;
  const response = await fetch(`${endpoints[service]}/`, {
    method: "POST",
    headers: {
      "Content-Type": "application/x-amz-json-1.0",
      "X-Amz-Target": target,
      Authorization: authorization,
    },
    body,
  });
  return respond("application/x-amz-json-1.0", await response.text(), response.status);
};

const respondAsAws = async (socket: Socket, target: string, body: string): Promise<void> => {
  const service = target.startsWith("DynamoDB") ? "DynamoDB" : "SecretsManager";
  counts[service] += 1;
  const key = `${target} ${body.replace(slotName, "")}`;
  const known = remembered.get(key) ?? forward(service, target, body);
  if (respondedOnce.has(key)) remembered.set(key, known);
  respondedOnce.add(key);
  const response = await known;
  // A refused call may succeed next time: an item is created when a write did not find it.
  if (!response.startsWith(statusLine(200))) remembered.delete(key);
  socket.write(response);
};

const handle = (socket: Socket, head: string, bytes: Buffer): void => {
  if (respondWithAudio(socket, head, bytes)) return;
  const body = bytes.toString();
  const target = /\r\nx-amz-target: *(?<target>\S+)/i.exec(head)?.groups?.["target"];
  if (target !== undefined) {
    respondAsAws(socket, target, body).catch((error: unknown) => socket.destroy(new Error(String(error))));
    return;
  }
  counts.model += 1;
  const requested = readInstruction(body);
  if (requested) stream(socket, requested);
  else socket.write(whole);
};

const server = createServer({ noDelay: true }, (socket) => {
  let head = "";
  let pieces: Buffer[] = [];
  const read = readMessages("request", {
    head: (text) => {
      head = text;
    },
    body: (piece) => {
      pieces.push(piece);
    },
    end: () => {
      const body = Buffer.concat(pieces);
      pieces = [];
      handle(socket, head, body);
    },
  });
  socket.on("data", read);
  socket.on("error", () => socket.destroy());
});
serveParent(`${await listen(server)}/v1`, () => counts);

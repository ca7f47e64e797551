import { Agent, request as sendRequest } from "node:http";
import { type ModelReply, mockModel } from "../compare/model-responses.ts";

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

/** A server for chat completions: the mock itself, or the service in front of it. */
export interface Target {
  readonly baseUrl: string;
  readonly model: string;
  readonly token?: string;
}

/** The mock server without anything in front. */
export const directTarget = (baseUrl: string): Target => ({ baseUrl, model: mockModel });

/** How long a stream took, in milliseconds from the request. */
export interface StreamTimes {
  readonly firstToken: number;
  readonly whole: number;
}

const firstToken = Buffer.from("amazzi");

/** Streams one response to its end. @throws Error when the response is incomplete. */
export const readStream = (target: Target, reply: ModelReply): Promise<StreamTimes> =>
  new Promise((resolve, reject) => {
    const body = JSON.stringify({
      model: target.model,
      messages: [{ role: "user", content: JSON.stringify(reply) }],
      stream: true,
    });
    const startedAt = performance.now();
    const request = sendRequest(`${target.baseUrl}/chat/completions`, {
      agent,
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(body),
        ...(target.token ? { Authorization: `Bearer ${target.token}` } : {}),
      },
    });
    request.once("error", reject);
    request.once("response", (response) => {
      let first: number | undefined;
      let end = Buffer.alloc(0);
      response.on("data", (piece: Buffer) => {
        if (first === undefined && piece.includes(firstToken)) first = performance.now() - startedAt;
        end = Buffer.concat([end, piece]).subarray(-16);
      });
      response.once("error", reject);
      response.once("end", () => {
        if (first === undefined || !end.includes("[DONE]")) {
          reject(
            new Error(`${target.baseUrl} returned status ${response.statusCode} and no complete stream.`),
          );
        } else resolve({ firstToken: first, whole: performance.now() - startedAt });
      });
    });
    request.end(body);
  });

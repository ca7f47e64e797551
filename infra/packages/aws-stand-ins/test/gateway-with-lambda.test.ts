import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { LocalServer } from "../src/gateway/http-server.ts";
import { startRestApi } from "../src/gateway/rest-api.ts";
import { LambdaService } from "../src/lambda/lambda-service.ts";
import type { WrittenAssembly } from "./assembly-fixture.ts";
import { writeApplication } from "./gateway-harness.ts";

const code = `
const buffered = async (event) => ({
  statusCode: 200,
  body: JSON.stringify({ user: event.requestContext.authorizer?.principalId, path: event.pathParameters }),
});

const authorizer = async (event) => {
  if (event.headers.authorization !== "Bearer good") throw new Error("Unauthorized");
  const Statement = [{ Effect: "Allow", Action: "execute-api:Invoke", Resource: "*" }];
  return { principalId: "42", policyDocument: { Version: "2012-10-17", Statement } };
};

const streamed = () => awslambda.streamifyResponse(async (event, responseStream) => {
  const { pieces, fails } = JSON.parse(event.body);
  const stream = awslambda.HttpResponseStream.from(responseStream, {
    statusCode: 200,
    headers: { "Content-Type": "text/event-stream" },
  });
  for (let piece = 1; piece <= pieces; piece++) {
    stream.write("data: " + piece + "\\n\\n");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  if (fails) throw new Error("boom");
  stream.end();
});

const handlers = { authorizer: () => authorizer, chat: streamed };
export const handler = (handlers[process.env.AWS_LAMBDA_FUNCTION_NAME] ?? (() => buffered))();
`;

let application: WrittenAssembly;
let service: LambdaService;
let server: LocalServer;
const log: string[] = [];

beforeAll(async () => {
  application = writeApplication(code);
  const { model } = application;
  service = new LambdaService({
    functions: model.functions.map((definition) => ({ ...definition, directory: definition.assetDirectory })),
    log: () => {},
  });
  server = await startRestApi({
    model,
    invoke: (...call) => service.invoke(...call),
    port: 0,
    host: "127.0.0.1",
    log: (line) => log.push(line),
  });
});
afterAll(async () => {
  await server.close();
  await service.close();
  application.remove();
});

const chat = (request: object, signal?: AbortSignal): Promise<Response> =>
  fetch(`${server.url}/chat`, {
    method: "POST",
    body: JSON.stringify(request),
    ...(signal !== undefined && { signal }),
  });

describe("The gateway in front of running functions", () => {
  it("asks the authorizer, and the function learns who calls", async () => {
    const response = await fetch(`${server.url}/items/7`, { headers: { authorization: "Bearer good" } });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ user: "42", path: { id: "7" } });
  });

  it("returns 401 when the authorizer's code throws «Unauthorized»", async () => {
    const response = await fetch(`${server.url}/items/7`, { headers: { authorization: "Bearer bad" } });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
  });

  it("streams what the function writes", async () => {
    const response = await chat({ pieces: 3 });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(await response.text()).toBe("data: 1\n\ndata: 2\n\ndata: 3\n\n");
  });

  it("breaks the connection when the function throws in the middle of its stream, and serves the next caller", async () => {
    const response = await chat({ pieces: 2, fails: true });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    expect(await (await chat({ pieces: 1 })).text()).toBe("data: 1\n\n");
  });

  it("survives callers who leave in the middle of a stream", async () => {
    log.length = 0;
    const caller = new AbortController();
    const response = await chat({ pieces: 10_000 }, caller.signal);
    await response.body?.getReader().read();
    caller.abort();
    await vi.waitFor(() => expect(log).toEqual([expect.stringMatching(/^POST \/chat 200 /)]));
    expect(await (await chat({ pieces: 1 })).text()).toBe("data: 1\n\n");
  });
});

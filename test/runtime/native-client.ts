import { Agent, type IncomingHttpHeaders, request } from "node:http";

// Replaces the compiled part of AWS's runtime client, `rapid-client.node`, with its three functions. The compiled
// part sends results synchronously: here the next call waits until they are sent.

const [hostname, port] = (process.env["AWS_LAMBDA_RUNTIME_API"] ?? "").split(":");
const agent = new Agent({ keepAlive: true });

let sent: Promise<unknown> = Promise.resolve();

export function initializeClient(): void {}

export async function next(): Promise<{ bodyJson: string; headers: IncomingHttpHeaders }> {
  await sent;
  return call("GET", "next");
}

export function done(requestId: string, payload: string): void {
  sent = call("POST", `${requestId}/response`, payload);
}

export function error(requestId: string, payload: string): void {
  sent = call("POST", `${requestId}/error`, payload);
}

function call(method: string, path: string, payload?: string) {
  const { promise, resolve, reject } = Promise.withResolvers<{
    bodyJson: string;
    headers: IncomingHttpHeaders;
  }>();
  const options = { hostname, port, agent, method, path: `/2018-06-01/runtime/invocation/${path}` };
  const outgoing = request(options, (response) => {
    let bodyJson = "";
    response.setEncoding("utf8");
    response.on("data", (text: string) => {
      bodyJson += text;
    });
    response.once("end", () => resolve({ bodyJson, headers: response.headers }));
  });
  outgoing.once("error", reject);
  outgoing.end(payload);
  return promise;
}

/** The least that a Node process can do between a caller and a model's server: pass bytes on. A process of its own. */
import { Agent, createServer, request as sendRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { reportResourceUse } from "./resource-use.ts";
import type { Started } from "./settings.ts";

const agent = new Agent({ keepAlive: true });

const server = createServer((incoming, outgoing) => {
  const { method, headers } = incoming;
  const request = sendRequest(`${process.env["CHAT_BASE_URL"]}/chat/completions`, { agent, method, headers });
  request.once("response", (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(outgoing);
  });
  request.once("error", () => outgoing.destroy());
  incoming.pipe(request);
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ url: `http://127.0.0.1:${port}` } satisfies Started);
});
reportResourceUse();

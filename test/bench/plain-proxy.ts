/** The least that a Node process can do between a caller and a model's server: pass bytes on. A process of its own. */
import { Agent, createServer, request as sendRequest } from "node:http";
import { listen, resourceUse, serveParent } from "./child-process.ts";

const { hostname, port, pathname: path } = new URL(process.env["PROXIED_URL"] ?? "");
const agent = new Agent({ keepAlive: true });

const server = createServer((incoming, outgoing) => {
  const { method, headers } = incoming;
  const request = sendRequest({ agent, hostname, port, path, method, headers });
  request.once("response", (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(outgoing);
  });
  request.once("error", () => outgoing.destroy());
  incoming.pipe(request);
});
serveParent(await listen(server), resourceUse);

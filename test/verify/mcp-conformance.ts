import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { listenOnLoopback } from "../support/loopback-server.ts";
import { withService } from "./clients.ts";
import { type Part, verdictOf } from "./run-parts.ts";
import { mcpConformance, runToEnd } from "./tools.ts";

/** The scenarios that fit, with how many checks each has. `functions/mcp/README.md` says why the others do not. */
const fitting = { "server-initialize": 1, ping: 1, "tools-list": 1, "dns-rebinding-protection": 2 } as const;

/** What the others need of a server, by the beginning of their names. */
const unfitting: readonly string[] = [
  "completion-",
  "elicitation-",
  "json-schema-2020-12",
  "logging-",
  "prompts-",
  "resources-",
  "server-sse-",
  "tools-call-",
];

/** Passes requests on with a key. The tests know none, and take the proxy's address for the service's own. */
const startProxy = (service: string, key: string) => {
  const { origin, host } = new URL(service);
  const pass = (incoming: IncomingMessage, response: ServerResponse): void => {
    const { localPort: port } = incoming.socket;
    const isOwn = [`http://127.0.0.1:${port}`, `http://localhost:${port}`].includes(
      incoming.headers.origin ?? "",
    );
    const headers = {
      ...incoming.headers,
      ...(isOwn ? { origin } : {}),
      host,
      authorization: `Bearer ${key}`,
    };
    const outgoing = request(`${service}/mcp`, { method: incoming.method, headers }, (received) => {
      response.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(response);
    });
    outgoing.on("error", (error) => response.destroy(error));
    incoming.pipe(outgoing);
  };
  return listenOnLoopback(createServer(pass));
};

/** What one scenario found. */
const judge = async (program: string, url: string, scenario: string, checks: number): Promise<string[]> => {
  const { output } = await runToEnd(process.execPath, [
    program,
    "server",
    "--url",
    `${url}/mcp`,
    "--scenario",
    scenario,
  ]);
  const [, passed, failed] = /Passed: (\d+)\/\d+, (\d+) failed/.exec(output) ?? [];
  if (Number(passed) === checks && Number(failed) === 0) return [];
  return [`${scenario}: ${output.trim().slice(-600)}`];
};

/** Scenarios that only a later version has. */
const unknownScenarios = async (program: string): Promise<string[]> => {
  const { output } = await runToEnd(process.execPath, [program, "list", "--server"]);
  const names = [...output.matchAll(/^ {2}- ([\w-]+)/gm)].map(([, name = ""]) => name);
  if (names.length === 0) return [`no scenarios are listed: ${output.slice(-300)}`];
  return names
    .filter((name) => !(name in fitting) && !unfitting.some((beginning) => name.startsWith(beginning)))
    .map((name) => `a scenario that is not known yet: ${name}`);
};

/** The protocol's own tests of servers, of revision 2025-11-25, against the tools for agents. */
export const mcpConformancePart: Part = {
  name: "The Model Context Protocol's conformance tests",
  paths: ["functions/mcp", "test/verify/mcp-conformance"],
  run: async () => {
    const program = await mcpConformance();
    return withService(async ({ variables: { API: service = "", TOKEN: token = "" } }) => {
      const proxy = await startProxy(service, token);
      try {
        const findings = await unknownScenarios(program);
        for (const [scenario, checks] of Object.entries(fitting)) {
          findings.push(...(await judge(program, proxy.url, scenario, checks)));
        }
        return verdictOf(findings, `${Object.keys(fitting).join(", ")} pass`);
      } finally {
        await proxy.close();
      }
    });
  },
};

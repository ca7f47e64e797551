import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";
import { baseUrl } from "./client.ts";

type Options = NonNullable<ConstructorParameters<typeof Client>[1]>;

/** How a client of the protocol's own package chooses the revision. */
export type Mode = NonNullable<NonNullable<Options["versionNegotiation"]>["mode"]>;

/** All its modes, with the revision that each ends with here. */
export const modes: readonly (readonly [name: string, mode: Mode, revision: string])[] = [
  ["without server/discover", "legacy", "2025-11-25"],
  ["which tries server/discover first", "auto", "2026-07-28"],
  ["of revision 2026-07-28 only", { pin: "2026-07-28" }, "2026-07-28"],
];

/** Connects a client, until the end of the test. */
export const connect = async (token: string, mode: Mode = "auto"): Promise<Client> => {
  const client = new Client({ name: "conformance", version: "1.0.0" }, { versionNegotiation: { mode } });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), { requestInit }));
  onTestFinished(() => client.close());
  return client;
};

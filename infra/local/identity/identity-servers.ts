import { randomBytes } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import { isFromThisMachine } from "@language-ai/aws-stand-ins";
import { type ProviderLetter, providerLetters } from "../../../shared/platform/config/identity-providers.ts";
import { closeServer, listenOnLoopback } from "../loopback-server.ts";
import type { LocalSettings } from "../settings.ts";
import type { ProviderRequests, StandInOptions } from "./stand-in-provider.ts";

/** A running stand-in. */
interface StandIn extends Pick<StandInOptions, "name" | "issuer" | "clientId" | "clientSecret"> {
  readonly letter: ProviderLetter;
  close(): Promise<void>;
}

/**
 * Returns a handler that refuses other machines, and calls `load` at the first request and after a failure.
 *
 * Few people log in with a stand-in, so loading the provider must not delay every start of the service.
 */
const loadOnDemand = (load: () => Promise<ProviderRequests>): RequestListener => {
  let loading: Promise<ProviderRequests> | undefined;
  const respond: ProviderRequests = async (request, response) => {
    if (!isFromThisMachine(request)) {
      response.writeHead(403, { "Content-Type": "text/plain; charset=utf-8" });
      response.end("This server only accepts requests from this machine.\n");
      return;
    }
    try {
      loading ??= load();
      const provider = await loading;
      await provider(request, response);
    } catch {
      loading = undefined;
      if (!response.headersSent) response.writeHead(500);
      response.end();
    }
  };
  return (request, response) => void respond(request, response);
};

/**
 * Starts a stand-in of an identity provider on the loopback interface.
 *
 * @param port 0 for any free one.
 * @param redirectUri where it sends people back.
 */
const startStandIn = async (letter: ProviderLetter, port: number, redirectUri: string): Promise<StandIn> => {
  const options = {
    letter,
    name: `Stand-in provider ${letter.toUpperCase()}`,
    clientId: "language-ai-service",
    clientSecret: randomBytes(24).toString("base64url"),
    redirectUri,
  };
  let issuer = "";
  const server = createServer(
    loadOnDemand(async () => {
      const { respondToRequests, createStandInProvider } = await import("./stand-in-provider.ts");
      return respondToRequests(createStandInProvider({ ...options, issuer }), options);
    }),
  );
  issuer = await listenOnLoopback(server, port);
  return { ...options, issuer, close: () => closeServer(server) };
};

/** The stand-ins of the identity providers that the settings do not name. */
export interface IdentityStandIns {
  readonly running: readonly Pick<StandIn, "issuer" | "name">[];
  /** Their settings for the stage. */
  readonly variables: Readonly<Record<string, string>>;
  /** The service's client secret at each provider, stand-in or not. */
  readonly clientSecrets: Readonly<Record<ProviderLetter, string | undefined>>;
  close(): Promise<void>;
}

/** Starts a stand-in for each identity provider that the settings do not name. */
export const startIdentityStandIns = async (
  settings: LocalSettings,
  [portOfA, portOfB]: readonly [number, number],
  baseUrl: string,
): Promise<IdentityStandIns> => {
  const ports = { a: portOfA, b: portOfB };
  const given = {
    a: { issuer: settings.IDP_A_ISSUER, clientSecret: settings.IDP_A_CLIENT_SECRET },
    b: { issuer: settings.IDP_B_ISSUER, clientSecret: settings.IDP_B_CLIENT_SECRET },
  };
  const missing = providerLetters.filter((letter) => given[letter].issuer === undefined);
  const running = await Promise.all(
    missing.map((letter) =>
      startStandIn(letter, ports[letter], `${baseUrl}/console/log-in/${letter}/callback`),
    ),
  );
  const secretOf = (letter: ProviderLetter): string | undefined =>
    running.find((standIn) => standIn.letter === letter)?.clientSecret ?? given[letter].clientSecret;
  return {
    running,
    variables: Object.fromEntries(
      running.flatMap(({ letter, name, issuer, clientId }) => {
        const prefix = `IDP_${letter.toUpperCase()}`;
        return [
          [`${prefix}_NAME`, name],
          [`${prefix}_ISSUER`, issuer],
          [`${prefix}_CLIENT_ID`, clientId],
        ];
      }),
    ),
    clientSecrets: { a: secretOf("a"), b: secretOf("b") },
    close: async () => {
      await Promise.all(running.map((standIn) => standIn.close()));
    },
  };
};

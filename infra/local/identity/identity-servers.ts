import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { isFromThisMachine } from "@language-ai/aws-stand-ins";
import { type ProviderLetter, providerLetters } from "../../../shared/platform/config/identity-providers.ts";
import type { LocalSettings } from "../settings.ts";
import type { ProviderRequests, StandInOptions } from "./stand-in-provider.ts";

/** A stand-in that runs. */
interface StandIn extends Pick<StandInOptions, "name" | "issuer" | "clientId" | "clientSecret"> {
  readonly letter: ProviderLetter;
  close(): Promise<void>;
}

/**
 * Starts a stand-in of an identity provider on the loopback interface.
 *
 * It listens at once, but the provider itself is loaded by the first request: most who start the service never sign in
 * through one, and it would cost every start.
 *
 * @param port 0 for any free one.
 * @param redirectUri where it sends people back to.
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
  let loading: Promise<ProviderRequests> | undefined;
  const load = async (): Promise<ProviderRequests> => {
    const { respondToRequests, createStandInProvider } = await import("./stand-in-provider.ts");
    return respondToRequests(createStandInProvider({ ...options, issuer }), options);
  };

  const respond: ProviderRequests = async (request, response) => {
    if (!isFromThisMachine(request)) {
      response.writeHead(403, { "Content-Type": "text/plain; charset=utf-8" });
      response.end("This server answers to this machine alone.\n");
      return;
    }
    try {
      loading ??= load();
      const received = await loading;
      await received(request, response);
    } catch {
      loading = undefined;
      if (!response.headersSent) response.writeHead(500);
      response.end();
    }
  };
  const server = createServer((request, response) => void respond(request, response));
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no TCP address.");
  issuer = `http://127.0.0.1:${address.port}`;
  const { name, clientId, clientSecret } = options;
  return {
    letter,
    name,
    issuer,
    clientId,
    clientSecret,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

/** The stand-ins of the identity providers that nobody has named. */
export interface IdentityStandIns {
  readonly running: readonly Pick<StandIn, "issuer" | "name">[];
  /** What the stage has to know of them. */
  readonly variables: Readonly<Record<string, string>>;
  /** What the service proves itself with at each provider, those that a person has named included. */
  readonly clientSecrets: Readonly<Record<ProviderLetter, string | undefined>>;
  close(): Promise<void>;
}

/** Starts a stand-in in the place of each identity provider that the settings do not name. */
export const startIdentityStandIns = async (
  { identityProviders }: Pick<LocalSettings, "identityProviders">,
  [portOfA, portOfB]: readonly [number, number],
  baseUrl: string,
): Promise<IdentityStandIns> => {
  const ports = { a: portOfA, b: portOfB };
  const missing = providerLetters.filter((letter) => identityProviders[letter].issuer === undefined);
  const running = await Promise.all(
    missing.map((letter) =>
      startStandIn(letter, ports[letter], `${baseUrl}/console/log-in/${letter}/callback`),
    ),
  );
  const secretOf = (letter: ProviderLetter): string | undefined =>
    running.find((standIn) => standIn.letter === letter)?.clientSecret ??
    identityProviders[letter].clientSecret;
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

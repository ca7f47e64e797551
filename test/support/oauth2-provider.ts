import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { defaultClaims, type IdentityProvider } from "../../shared/platform/config/identity-providers.ts";

/** What the provider says about the person who logs in. */
interface Person {
  readonly user: object;
  readonly emails: readonly object[];
}

/** A plain OAuth 2.0 provider with GitHub's forms: numbered people, `login`, and a list of email addresses. */
export interface PlainTestProvider {
  readonly settings: IdentityProvider;
  readonly clientSecret: string;
  /** Who logs in from now on. */
  person: Person;
  /** The requested paths. */
  readonly requested: string[];
  close(): Promise<void>;
}

const send = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify(body));
};

const clientId = "language-ai-service";
const clientSecret = "a client secret: with % and +";

/** Issues a token for a code, once, to the client that knows the secret and the code verifier. */
const exchange = async (
  request: IncomingMessage,
  response: ServerResponse,
  challenges: Map<string, string>,
): Promise<void> => {
  const form = new URLSearchParams(await text(request));
  const code = form.get("code") ?? "";
  const challenge = challenges.get(code);
  challenges.delete(code);
  const verified = createHash("sha256")
    .update(form.get("code_verifier") ?? "")
    .digest("base64url");
  if (form.get("client_id") !== clientId || form.get("client_secret") !== clientSecret)
    return send(response, 401, { error: "invalid_client" });
  if (challenge === undefined || challenge !== verified)
    return send(response, 400, { error: "invalid_grant" });
  send(response, 200, { access_token: "token-of-the-person", token_type: "bearer", scope: "user:email" });
};

/** Starts the provider on a free port. People are logged in already. */
export const startPlainProvider = async (): Promise<PlainTestProvider> => {
  const challenges = new Map<string, string>();
  const requested: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    requested.push(url.pathname);
    if (url.pathname === "/authorize") {
      const code = randomUUID();
      challenges.set(code, url.searchParams.get("code_challenge") ?? "");
      const back = new URL(url.searchParams.get("redirect_uri") ?? "");
      back.search = new URLSearchParams({ code, state: url.searchParams.get("state") ?? "" }).toString();
      response.writeHead(302, { Location: back.href }).end();
    } else if (url.pathname === "/token") void exchange(request, response, challenges);
    else if (request.headers.authorization !== "Bearer token-of-the-person")
      send(response, 401, { message: "Requires authentication" });
    else if (url.pathname === "/user") send(response, 200, provider.person.user);
    else send(response, 200, provider.person.emails);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no TCP address.");
  const issuer = `http://127.0.0.1:${address.port}`;
  const provider: PlainTestProvider = {
    settings: {
      letter: "a",
      name: "Plain provider",
      issuer,
      clientId,
      scope: "read:user user:email",
      plain: {
        authorization: `${issuer}/authorize`,
        token: `${issuer}/token`,
        userInfo: `${issuer}/user`,
        emails: `${issuer}/user/emails`,
        claims: { ...defaultClaims, subject: "id", username: "login" },
      },
    },
    clientSecret,
    person: { user: {}, emails: [] },
    requested,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
};

import { once } from "node:events";
import { createServer } from "node:http";
import { standInPassword } from "../../infra/local/identity/stand-in-accounts.ts";
import { createStandInProvider, respondToRequests } from "../../infra/local/identity/stand-in-provider.ts";
import type { IdentityProvider, ProviderLetter } from "../../shared/platform/config/identity-providers.ts";
import { CookieJar } from "./cookie-jar.ts";

/** What a provider of a test does other than a good one. */
interface Misbehaviour {
  /** Responds with this status and no JSON, at matching paths. */
  readonly fail?: { readonly path: RegExp; readonly status: number };
  /** Accepts requests at these paths and never responds. */
  readonly hang?: RegExp;
  /** Changes the ID token that it issues. */
  readonly changeIdToken?: (token: string) => string;
}

/** A real OpenID provider, with the accounts of the stand-ins. */
export interface TestProvider {
  readonly settings: IdentityProvider;
  readonly clientSecret: string;
  readonly redirectUri: string;
  /** How it misbehaves from now on. */
  misbehave(how: Misbehaviour): void;
  /** Replaces its keys, and forgets all people. */
  changeKeys(): void;
  /** The requested paths. */
  readonly requested: string[];
  close(): Promise<void>;
}

/**
 * Signs in at a provider, or cancels there.
 *
 * @param address where the service has sent the browser.
 * @returns where the provider sends it back to.
 */
export const signInAtProvider = async (
  address: string,
  { login, jar = new CookieJar() }: { readonly login: string; readonly jar?: CookieJar },
): Promise<URL> => {
  const form = await jar.walk(address);
  const page = await form.response.text();
  const action = /<form method="post" action="([^"]+)"/.exec(page)?.[1];
  if (action === undefined) throw new Error(`There is no form: ${form.response.status} ${page}`);
  const fields =
    login === "cancel" ? { answer: "cancel" } : { answer: "log-in", login, password: standInPassword };
  const back = new URL(new URL(address).searchParams.get("redirect_uri") ?? "");
  const { address: reached } = await jar.walk(new URL(action, form.address), {
    method: "POST",
    body: new URLSearchParams(fields),
    until: (next) => next.origin === back.origin && next.pathname === back.pathname,
  });
  return reached;
};

/** Starts a provider on a free port. @param redirectUri where it sends people back to. */
export const startTestProvider = async (
  letter: ProviderLetter,
  redirectUri: string,
): Promise<TestProvider> => {
  const clientId = "language-ai-service";
  const clientSecret = "a client secret: with % and +";
  let how: Misbehaviour = {};
  const requested: string[] = [];
  const open = (issuer: string) => {
    const provider = createStandInProvider({
      letter,
      name: letter,
      issuer,
      clientId,
      clientSecret,
      redirectUri,
    });
    provider.use(async ({ path, response }, next) => {
      await next();
      const body: unknown = response.body;
      if (path !== "/token" || typeof body !== "object" || body === null || !("id_token" in body)) return;
      if (how.changeIdToken) response.body = { ...body, id_token: how.changeIdToken(String(body.id_token)) };
    });
    return respondToRequests(provider, { name: letter });
  };
  let received: ReturnType<typeof open> | undefined;
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    requested.push(path.split("?")[0] ?? "");
    if (how.hang?.test(path)) return;
    if (how.fail?.path.test(path)) {
      response.writeHead(how.fail.status, { "Content-Type": "text/html" });
      response.end("<h1>It is broken</h1>");
      return;
    }
    void received?.(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no TCP address.");
  const issuer = `http://127.0.0.1:${address.port}`;
  received = open(issuer);
  return {
    settings: { letter, name: `Provider ${letter}`, issuer, clientId },
    clientSecret,
    redirectUri,
    misbehave: (next) => {
      how = next;
    },
    changeKeys: () => {
      received = open(issuer);
    },
    requested,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

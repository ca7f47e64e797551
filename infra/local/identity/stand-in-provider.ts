import { generateKeyPairSync, type JsonWebKey, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import Provider, { type Configuration, type FindAccount, interactionPolicy } from "oidc-provider";
import { renderLogInPage, renderProblemPage } from "./log-in-page.ts";
import { memoryAdapter } from "./memory-adapter.ts";
import { standInAccounts, standInPassword } from "./stand-in-accounts.ts";

export interface StandInOptions {
  /** Part of its cookies' names: browsers share cookies between the ports of a host. */
  readonly letter: string;
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
}

const interactionPath = /^\/interaction\/[\w-]+$/;

const newSigningKey = (): JsonWebKey => ({
  ...generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ format: "jwk" }),
  kid: randomBytes(8).toString("base64url"),
  use: "sig",
});

/** Shows the login page each time, because with a session people could not try the other test account. */
const askEachTime = () => {
  const { base, Check } = interactionPolicy;
  const policy = base();
  const each = new Check("each_time", "The login page is shown each time", ({ oidc }) =>
    oidc.result?.login ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT,
  );
  policy.get("login")?.checks.add(each);
  return policy;
};

const findAccount: FindAccount = (_context, id) => {
  const account = Object.hasOwn(standInAccounts, id) ? standInAccounts[id] : undefined;
  return (
    account && {
      accountId: id,
      claims: () => ({
        sub: id,
        email: account.email,
        email_verified: account.emailVerified,
        name: account.name,
        preferred_username: id,
      }),
    }
  );
};

/** Logging in is consent: there is one client, and the page says what it is for. */
const grantOnLogIn: NonNullable<Configuration["loadExistingGrant"]> = async ({ oidc }) => {
  const { client, session, provider, params } = oidc;
  if (!client || !session?.accountId) return undefined;
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope(String(params?.["scope"] ?? "openid"));
  await grant.save();
  return grant;
};

const lifetimesSeconds = {
  AccessToken: 600,
  AuthorizationCode: 60,
  Grant: 600,
  IdToken: 600,
  Interaction: 600,
  Session: 3_600,
};

/** Creates the provider, with the test accounts. */
export const createStandInProvider = (options: StandInOptions) =>
  new Provider(options.issuer, {
    adapter: memoryAdapter(),
    clients: [
      {
        client_id: options.clientId,
        client_secret: options.clientSecret,
        redirect_uris: [options.redirectUri],
        grant_types: ["authorization_code"],
        response_types: ["code"],
      },
    ],
    jwks: { keys: [newSigningKey()] },
    cookies: {
      keys: [randomBytes(32).toString("base64url")],
      names: {
        session: `stand-in-${options.letter}-session`,
        interaction: `stand-in-${options.letter}-interaction`,
        resume: `stand-in-${options.letter}-resume`,
      },
    },
    claims: {
      openid: ["sub"],
      email: ["email", "email_verified"],
      profile: ["name", "preferred_username"],
    },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    ttl: lifetimesSeconds,
    interactions: { policy: askEachTime(), url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount,
    loadExistingGrant: grantOnLogIn,
    renderError: (context, { error, error_description: description }) => {
      context.type = "html";
      context.body = renderProblemPage(options.name, `${error}: ${description ?? "no further description"}`);
    },
  });

/** Handles the requests to an OpenID provider. */
export type ProviderRequests = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Handles the requests to a provider and its login page. */
export const respondToRequests = (
  provider: Provider,
  { name }: Pick<StandInOptions, "name">,
): ProviderRequests => {
  const others = provider.callback();

  const showForm = (response: ServerResponse, action: string, problem?: string): void => {
    response.writeHead(200, {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-store",
      "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    });
    response.end(renderLogInPage({ providerName: name, action, problem }));
  };

  const submitForm: ProviderRequests = async (request, response) => {
    const form = new URLSearchParams(await text(request));
    const login = form.get("login")?.trim().toLowerCase() ?? "";
    if (form.get("answer") === "cancel") {
      const denied = { error: "access_denied", error_description: "The person cancelled the login." };
      await provider.interactionFinished(request, response, denied, { mergeWithLastSubmission: false });
    } else if (Object.hasOwn(standInAccounts, login) && form.get("password") === standInPassword) {
      const signedIn = { login: { accountId: login } };
      await provider.interactionFinished(request, response, signedIn, { mergeWithLastSubmission: false });
    } else {
      showForm(response, request.url ?? "", "Unknown test account or wrong password.");
    }
  };

  return async (request, response) => {
    const path = request.url ?? "/";
    if (!interactionPath.test(path)) return others(request, response);
    try {
      // Throws when the login has ended, or was started in another browser.
      await provider.interactionDetails(request, response);
      if (request.method === "POST") return await submitForm(request, response);
      showForm(response, path);
    } catch {
      response.writeHead(400, { "Content-Type": "text/html; charset=utf-8" });
      response.end(
        renderProblemPage(
          name,
          "This login has expired, or was started in another browser. Go back and start again.",
        ),
      );
    }
  };
};

import { generateKeyPairSync, type JsonWebKey, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import Provider, { interactionPolicy } from "oidc-provider";
import { renderLogInPage, renderProblemPage } from "./log-in-page.ts";
import { memoryAdapter } from "./memory-adapter.ts";
import { standInAccounts, standInPassword } from "./stand-in-accounts.ts";

/** An OpenID provider for one client. */
export interface StandInOptions {
  /** Sets the cookies of providers apart that share a host name, as browsers tell no ports apart. */
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

/** Asks who somebody is each time, for both test accounts to be tried: a session would let nobody choose again. */
const askEachTime = () => {
  const { base, Check } = interactionPolicy;
  const policy = base();
  const each = new Check("each_time", "The test accounts are offered each time", ({ oidc }) =>
    oidc.result?.login ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT,
  );
  policy.get("login")?.checks.add(each);
  return policy;
};

/** The provider itself, which knows the test accounts. */
export const createStandInProvider = ({
  letter,
  name,
  issuer,
  clientId,
  clientSecret,
  redirectUri,
}: StandInOptions) =>
  new Provider(issuer, {
    adapter: memoryAdapter(),
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        grant_types: ["authorization_code"],
        response_types: ["code"],
      },
    ],
    jwks: { keys: [newSigningKey()] },
    cookies: {
      keys: [randomBytes(32).toString("base64url")],
      names: {
        session: `stand-in-${letter}-session`,
        interaction: `stand-in-${letter}-interaction`,
        resume: `stand-in-${letter}-resume`,
      },
    },
    claims: {
      openid: ["sub"],
      email: ["email", "email_verified"],
      profile: ["name", "preferred_username"],
    },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      Session: 3_600,
    },
    interactions: { policy: askEachTime(), url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, id) => {
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
    },
    // Who signs in agrees with it: there is one client, and a page that says what it is for.
    loadExistingGrant: async ({ oidc }) => {
      const { client, session, provider, params } = oidc;
      if (!client || !session?.accountId) return undefined;
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope(String(params?.["scope"] ?? "openid"));
      await grant.save();
      return grant;
    },
    renderError: (context, { error, error_description: description }) => {
      context.type = "html";
      context.body = renderProblemPage(name, `${error}: ${description ?? "no further description"}`);
    },
  });

/** Answers the requests to an OpenID provider. */
export type ProviderRequests = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** What answers the requests to a provider: itself, and the form in which the test accounts sign in. */
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
      const denied = { error: "access_denied", error_description: "The person has cancelled." };
      await provider.interactionFinished(request, response, denied, { mergeWithLastSubmission: false });
    } else if (Object.hasOwn(standInAccounts, login) && form.get("password") === standInPassword) {
      const signedIn = { login: { accountId: login } };
      await provider.interactionFinished(request, response, signedIn, { mergeWithLastSubmission: false });
    } else {
      showForm(response, request.url ?? "", "There is no such test account, or the password is another.");
    }
  };

  return async (request, response) => {
    const path = request.url ?? "/";
    if (!interactionPath.test(path)) return others(request, response);
    try {
      // Throws when the log-in is over, or was begun in another browser.
      await provider.interactionDetails(request, response);
      if (request.method === "POST") return await submitForm(request, response);
      showForm(response, path);
    } catch {
      response.writeHead(400, { "Content-Type": "text/html; charset=utf-8" });
      response.end(
        renderProblemPage(
          name,
          "This log-in is over, or was not begun in this browser. Go back and begin again.",
        ),
      );
    }
  };
};

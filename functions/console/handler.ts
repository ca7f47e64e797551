import { createAccountsRepository } from "../../shared/accounts/accounts-repository.ts";
import { createIdentitiesRepository } from "../../shared/accounts/identities-repository.ts";
import { createLinksRepository } from "../../shared/accounts/links-repository.ts";
import { createSigningKeySource } from "../../shared/auth/tokens.ts";
import { awsConfigOf, readEnvironment } from "../../shared/config/environment.ts";
import { clientSecretsFrom, limiterFrom, signingSecretFrom } from "../../shared/config/from-environment.ts";
import { openMailQueue } from "../../shared/mail/mail-queue.ts";
import { createSessionsRepository } from "../../shared/sessions/sessions-repository.ts";
import { createPasswordAttemptsRepository } from "../../shared/sign-in/password-attempts.ts";
import { createPasswordGuard } from "../../shared/sign-in/password-guard.ts";
import { createSignInAddresses } from "../../shared/sign-in/sign-in-addresses.ts";
import { openTable } from "../../shared/storage/table.ts";
import { consolePages } from "./console-pages.ts";
import { consoleFunction } from "./contract.ts";
import { createLogInAttempts } from "./identity/log-in-attempts.ts";
import { createOpenIdProvider } from "./identity/open-id-provider.ts";
import { builtAssets } from "./server/built-assets.ts";
import { createConsoleHandler } from "./server/console-handler.ts";

const environment = readEnvironment(consoleFunction.environment, process.env);
const table = openTable(environment.TABLE_NAME);
const accounts = createAccountsRepository(table);
const clientSecrets = clientSecretsFrom(environment);
const logInThrough = (letter: string): string => `/console/log-in/${letter}`;

export const handler = createConsoleHandler(
  consolePages({
    accounts,
    links: createLinksRepository(table),
    mailQueue: openMailQueue(environment.MAIL_QUEUE_URL, awsConfigOf(environment)),
    passwordGuard: createPasswordGuard(createPasswordAttemptsRepository(table), createSignInAddresses(table)),
    providers: environment.IDENTITY_PROVIDERS.map(({ name, letter }) => ({
      name,
      path: logInThrough(letter),
    })),
    identities: createIdentitiesRepository(table),
    openIdProviders: environment.IDENTITY_PROVIDERS.map((provider) =>
      createOpenIdProvider({
        provider,
        clientSecret: async () => (await clientSecrets.get())[provider.letter],
        redirectUri: `${environment.PUBLIC_BASE_URL}${logInThrough(provider.letter)}/callback`,
      }),
    ),
    logInAttempts: createLogInAttempts(createSigningKeySource(signingSecretFrom(environment))),
    vendors: { a: environment.LEGACY_VENDOR_A, b: environment.LEGACY_VENDOR_B },
    baseUrl: environment.PUBLIC_BASE_URL,
    assets: builtAssets,
  }),
  {
    site: {
      baseUrl: environment.PUBLIC_BASE_URL,
      origins: { storage: [], stream: [] },
      assets: builtAssets,
      languages: environment.CONSOLE_LANGUAGES,
    },
    accounts,
    sessions: createSessionsRepository(table),
  },
  { limiter: limiterFrom(environment), metricsNamespace: environment.METRICS_NAMESPACE },
);

import type { CredentialAccess } from "../../shared/accounts/access.ts";
import type { StoredAccount } from "../../shared/accounts/account.ts";
import type { AccountsRepository } from "../../shared/accounts/accounts-repository.ts";
import type { ApiKeysRepository } from "../../shared/accounts/api-keys-repository.ts";
import type { LinksRepository } from "../../shared/accounts/links-repository.ts";
import type { TokensRepository } from "../../shared/accounts/tokens-repository.ts";
import type { Credential } from "../../shared/auth/api-keys.ts";
import type { Tokens } from "../../shared/auth/tokens.ts";
import type { MailQueue } from "../../shared/mail/mail-queue.ts";
import type { TaskPaths } from "./get-usage.ts";
import type { PasswordGuard } from "./password-guard.ts";
import type { UsageRepository } from "./read-usage.ts";

/** Everything the use cases of this feature touch. */
export interface AuthDependencies {
  readonly accounts: AccountsRepository;
  readonly revokedTokens: TokensRepository;
  readonly apiKeys: ApiKeysRepository;
  readonly links: LinksRepository;
  readonly tokens: Tokens;
  readonly mailQueue: MailQueue;
  readonly passwordGuard: PasswordGuard;
  /** What the table knows of a credential; `undefined` when there is no such account. */
  readonly findAccess: (credential: Credential) => Promise<CredentialAccess | undefined>;
  /** Deletes an account with everything of it; goes on where an earlier call failed. */
  readonly eraseAccount: (account: StoredAccount, signal: AbortSignal) => Promise<void>;
  readonly usage: UsageRepository;
  /** The paths of the operations that usage is counted of, as this stage has them. */
  readonly taskPaths: TaskPaths;
  /** `undefined` when tokens do not expire. */
  readonly tokenLifetimeSeconds: number | undefined;
}

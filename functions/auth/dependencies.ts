import type { CredentialAccess } from "../../shared/accounts/access.ts";
import type { StoredAccount } from "../../shared/accounts/account.ts";
import type { ApiKeysRepository } from "../../shared/accounts/api-keys-repository.ts";
import type { Credential } from "../../shared/auth/api-keys.ts";
import type { SignInDependencies } from "../../shared/sign-in/dependencies.ts";
import type { TaskPaths } from "./get-usage.ts";
import type { UsageRepository } from "./read-usage.ts";

/** Everything the use cases of this feature touch. */
export interface AuthDependencies extends SignInDependencies {
  readonly apiKeys: ApiKeysRepository;
  /** What the table knows of a credential; `undefined` when there is no such account. */
  readonly findAccess: (credential: Credential) => Promise<CredentialAccess | undefined>;
  /** Deletes an account with everything of it; goes on where an earlier call failed. */
  readonly eraseAccount: (account: StoredAccount, signal: AbortSignal) => Promise<void>;
  readonly usage: UsageRepository;
  /** The paths of the operations that usage is counted of, as this stage has them. */
  readonly taskPaths: TaskPaths;
}

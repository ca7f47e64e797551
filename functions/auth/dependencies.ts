import type { CredentialAccess } from "../../shared/accounts/access.ts";
import type { ApiKeysRepository } from "../../shared/accounts/api-keys-repository.ts";
import type { Credential } from "../../shared/auth/api-keys.ts";
import type { CallbackSecrets } from "../../shared/callbacks/callback-secrets.ts";
import type { DeletionDependencies } from "../../shared/sign-in/delete-account.ts";
import type { SignInDependencies } from "../../shared/sign-in/dependencies.ts";
import type { UsageDependencies } from "../../shared/usage/get-usage.ts";

/** Everything the use cases of this feature touch. */
export interface AuthDependencies extends SignInDependencies, DeletionDependencies, UsageDependencies {
  readonly apiKeys: ApiKeysRepository;
  /** What the table knows of a credential; `undefined` when there is no such account. */
  readonly findAccess: (credential: Credential) => Promise<CredentialAccess | undefined>;
  readonly callbackSecrets: Pick<CallbackSecrets, "current" | "replace">;
}

import type { CredentialAccess } from "../../shared/accounts/access/access.ts";
import type { Credential } from "../../shared/accounts/access/api-keys.ts";
import type { AccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import type { ApiKeysRepository } from "../../shared/accounts/repositories/api-keys-repository.ts";
import type { DeletionDependencies } from "../../shared/accounts/sign-in/delete-account.ts";
import type { SignInDependencies } from "../../shared/accounts/sign-in/dependencies.ts";
import type { UsageDependencies } from "../../shared/accounts/usage/find-usage.ts";
import type { CallbackSecrets } from "../../shared/recordings/callbacks/callback-secrets.ts";
import type { CallbackManagement } from "../../shared/recordings/jobs/manage-callbacks.ts";
import type { ExportOperationDependencies } from "./export-account.ts";

/** What the use cases of this feature need. */
export interface AuthDependencies
  extends SignInDependencies,
    DeletionDependencies,
    UsageDependencies,
    ExportOperationDependencies,
    CallbackManagement {
  readonly secondFactors: SignInDependencies["secondFactors"];
  readonly accounts: AccountsRepository;
  readonly apiKeys: ApiKeysRepository;
  /** Returns the status of a credential, or `undefined` when there is no such account. */
  readonly findAccess: (credential: Credential) => Promise<CredentialAccess | undefined>;
  readonly callbackSecrets: Pick<CallbackSecrets, "current" | "replace">;
}

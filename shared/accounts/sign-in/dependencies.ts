import type { ItemUpdate } from "../../platform/storage/table.ts";
import type { Tokens } from "../access/tokens.ts";
import type { MailQueue } from "../mail/mail-queue.ts";
import type { AccountsRepository } from "../repositories/accounts-repository.ts";
import type { ApiKeysRepository } from "../repositories/api-keys-repository.ts";
import type { IdentitiesRepository } from "../repositories/identities-repository.ts";
import type { LinksRepository } from "../repositories/links-repository.ts";
import type { TokensRepository } from "../repositories/tokens-repository.ts";
import type { SecondFactors } from "../second-factor/second-factors.ts";
import type { PasswordGuard } from "./password-guard.ts";

/** What registration and sign-in need. */
export interface SignInDependencies {
  readonly accounts: AccountsRepository;
  readonly revokedTokens: TokensRepository;
  readonly links: LinksRepository;
  readonly identities: Pick<IdentitiesRepository, "list" | "removeEnded">;
  readonly apiKeys: Pick<ApiKeysRepository, "list" | "revoke">;
  /** The change that ends the webhook secret of an account, and the callbacks of its jobs. */
  readonly endCallbacks: (userId: number) => ItemUpdate;
  readonly tokens: Tokens;
  readonly mailQueue: MailQueue;
  readonly passwordGuard: PasswordGuard;
  /** The version of the terms that people accept now. */
  readonly termsVersion: string;
  readonly secondFactors: SecondFactors;
  /** `undefined` when tokens do not expire. */
  readonly tokenLifetimeSeconds: number | undefined;
}

import type { AccountsRepository } from "../../shared/accounts/accounts-repository.ts";
import type { LinksRepository } from "../../shared/accounts/links-repository.ts";
import type { TokensRepository } from "../../shared/accounts/tokens-repository.ts";
import type { Tokens } from "../../shared/auth/tokens.ts";
import type { MailQueue } from "../../shared/mail/mail-queue.ts";
import type { UsageRepository } from "./get-usage.ts";
import type { PasswordGuard } from "./password-guard.ts";

/** Everything the use cases of this feature touch. */
export interface AuthDependencies {
  readonly accounts: AccountsRepository;
  readonly issuedTokens: TokensRepository;
  readonly links: LinksRepository;
  readonly tokens: Tokens;
  readonly mailQueue: MailQueue;
  readonly passwordGuard: PasswordGuard;
  readonly usage: UsageRepository;
  /** `undefined` when tokens do not expire. */
  readonly tokenLifetimeSeconds: number | undefined;
}

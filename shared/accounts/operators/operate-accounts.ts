import { exists, type Table, type TableWrite } from "../../platform/storage/table.ts";
import { anyNextEpoch, type StoredAccount } from "../access/account.ts";
import type { AccountType } from "../access/account-access.ts";
import { accountKeys } from "../access/keys.ts";
import type { WithheldMail } from "../mail/withheld-mail.ts";
import type { AccountsRepository } from "../repositories/accounts-repository.ts";
import type { ApiKeysRepository } from "../repositories/api-keys-repository.ts";
import type { AuditLog, Operator } from "./audit-log.ts";

/** What the acts of operators need. */
export interface OperatorDependencies {
  readonly table: Pick<Table, "transact">;
  readonly audit: AuditLog;
  readonly apiKeys: Pick<ApiKeysRepository, "revoke" | "revokeAll">;
  readonly accounts: Pick<AccountsRepository, "removeSecondFactor">;
  readonly withheldMail: Pick<WithheldMail, "lift">;
  /** @param record written together with the first step of the deletion. */
  readonly eraseAccount: (account: StoredAccount, signal: AbortSignal, record?: TableWrite) => Promise<void>;
}

type Changed = Pick<StoredAccount, "id">;

/** Returns the write that changes a field of an account's access, if the account exists. */
const accessChange = (id: number, field: string, value: unknown): TableWrite => ({
  update: {
    Key: accountKeys.access(id),
    UpdateExpression: "SET #field = :value",
    ...exists,
    ExpressionAttributeNames: { "#field": field },
    ExpressionAttributeValues: { ":value": value },
  },
});

/** Returns the write that changes the tier of an account. */
export const tierChange = (id: number, tier: AccountType): TableWrite =>
  accessChange(id, "account_type", tier);

/** What operators do to accounts. Each act is written together with its record in the audit log: both or neither. */
export const accountActs = (operator: Operator, dependencies: OperatorDependencies) => {
  const { table, accounts, audit, apiKeys, withheldMail, eraseAccount } = dependencies;
  const writeBoth = async (change: TableWrite, record: TableWrite): Promise<boolean> =>
    (await table.transact([change, record])).applied;
  return {
    /** @returns `false` when the account is gone. */
    changeTier: (
      account: Changed & Pick<StoredAccount, "account_type">,
      tier: AccountType,
    ): Promise<boolean> => {
      const detail = `${account.account_type} → ${tier}`;
      const record = audit.recordOf(operator, { act: "change-tier", accountId: account.id, detail });
      return writeBoth(tierChange(account.id, tier), record);
    },
    /** @returns `false` when the account is gone. */
    setDisabled: (account: Changed, disabled: boolean): Promise<boolean> => {
      const record = audit.recordOf(operator, {
        act: disabled ? "disable" : "enable",
        accountId: account.id,
      });
      return writeBoth(accessChange(account.id, "disabled", disabled), record);
    },
    /** Sends mails to the address of the account again. */
    allowMail: ({ id: accountId, email }: Pick<StoredAccount, "id" | "email">): Promise<void> =>
      withheldMail.lift(email, audit.recordOf(operator, { act: "allow-mail", accountId })),
    /** Also revokes its tokens, sessions and reset links. @returns whether the account had a second factor. */
    removeSecondFactor: ({ id: accountId }: Changed): Promise<boolean> =>
      accounts.removeSecondFactor(accountId, [
        { update: anyNextEpoch(accountId) },
        audit.recordOf(operator, { act: "remove-second-factor", accountId }),
      ]),
    /** @returns whether the account had the key. */
    revokeKey: ({ id: accountId }: Changed, key: string): Promise<boolean> =>
      apiKeys.revoke(accountId, key, audit.recordOf(operator, { act: "revoke-key", accountId, detail: key })),
    /** @returns how many there were. */
    revokeKeys: ({ id: accountId }: Changed): Promise<number> =>
      apiKeys.revokeAll(accountId, audit.recordOf(operator, { act: "revoke-keys", accountId })),
    /** Deletes the account with all its data. When it fails midway, the account is locked; call it again. */
    delete: (account: StoredAccount, signal: AbortSignal): Promise<void> =>
      eraseAccount(
        account,
        signal,
        audit.recordOf(operator, { act: "delete-account", accountId: account.id }),
      ),
  };
};

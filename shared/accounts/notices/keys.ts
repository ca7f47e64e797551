/** The prefix of the partition keys of notices, which permissions use. */
export const noticeKeyPrefix = "NOTICE#";

/** N1 and N2 of the README in `shared/accounts`: mails that an account gets once. */
export const noticeKeys = {
  ofAccount: (userId: number): string => `${noticeKeyPrefix}${userId}`,
  /** N1: a mail about the end of routes, by their last day and the days before it. */
  routesEnd: (userId: number, sunset: string, daysBefore: number) => ({
    PK: noticeKeys.ofAccount(userId),
    SK: `ROUTES-END#${sunset}#${daysBefore}`,
  }),
  /** N2: a mail about the use of a month, such as `2026-11`, by the account or by a key. */
  monthUsed: (
    userId: number,
    month: string,
    { keyId = "ACCOUNT", percent }: { readonly keyId?: string | undefined; readonly percent: number },
  ) => ({
    PK: noticeKeys.ofAccount(userId),
    SK: `MONTH-USED#${month}#${keyId}#${percent}`,
  }),
};

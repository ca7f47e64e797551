/** The prefix of the partition keys of notices, which permissions use. */
export const noticeKeyPrefix = "NOTICE#";

/** N1: a mail that an account has got about the end of routes, by their last day and the days before it. */
export const noticeKeys = {
  ofAccount: (userId: number): string => `${noticeKeyPrefix}${userId}`,
  routesEnd: (userId: number, sunset: string, daysBefore: number) => ({
    PK: noticeKeys.ofAccount(userId),
    SK: `ROUTES-END#${sunset}#${daysBefore}`,
  }),
};

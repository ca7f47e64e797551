/** The prefix that permissions use. */
export const tierRequestKeyPrefix = "TIER-REQUEST#";

/** T1 of the README in `shared/accounts`: the last request of an account for a higher tier. All are in one partition, for operators. */
export const tierRequestKeys = {
  request: (userId: number) => ({ PK: tierRequestKeys.all, SK: String(userId) }),
  all: `${tierRequestKeyPrefix}ALL`,
};

/** The prefix that permissions use. */
export const statusKeyPrefix = "STATUS#";

/** W1: the outcomes of the canary on a day, such as `2026-11-24`. */
export const statusKeys = {
  day: (date: string) => ({ PK: statusKeys.all, SK: date }),
  all: `${statusKeyPrefix}CANARY`,
};

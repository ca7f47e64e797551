/** The prefix of the partition keys of logged requests, which permissions use. */
export const requestKeyPrefix = "REQUEST#";

/** The key table of this folder's README in code. No other file contains a key. */
export const requestKeys = {
  ofAccount: (userId: number): string => `${requestKeyPrefix}${userId}`,
  times: "TIME#",
  /** R1: a request by the time of its end, an ISO time. */
  byTime: (userId: number, time: string, id: string) => ({
    PK: requestKeys.ofAccount(userId),
    SK: `${requestKeys.times}${time}#${id}`,
  }),
  ids: (id: string): string => `ID#${id}#`,
  /** R2: the same by its id, which callers may choose and repeat. */
  byId: (userId: number, time: string, id: string) => ({
    PK: requestKeys.ofAccount(userId),
    SK: `${requestKeys.ids(id)}${time}`,
  }),
};

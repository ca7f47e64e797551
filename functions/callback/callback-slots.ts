import { randomBytes } from "node:crypto";
import { exists, type Item, type Table } from "../../shared/platform/storage/table.ts";
import { callbackKeys } from "../../shared/recordings/callbacks/keys.ts";

/** How many callbacks of an account are sent at a time, far fewer than the workers of the queue. */
const maxAtOnce = 3;

/** A slot whose function was killed expires after this long: a little more than the function's time. */
const slotSeconds = 60;

const slotsIn = ({ active }: Item): string[] => (active instanceof Set ? Array.from(active, String) : []);

/** Slots in which an account's callbacks are sent, so silent receivers of one account do not delay the others'. */
export type CallbackSlots = ReturnType<typeof createCallbackSlots>;

/** Opens the slots; access pattern K3 of the README in `shared/recordings/callbacks`. */
export const createCallbackSlots = (table: Pick<Table, "update">, now: () => number = Date.now) => {
  const release = async (userId: number, slots: readonly string[]): Promise<void> => {
    await table.update({
      Key: callbackKeys.slots(userId),
      UpdateExpression: "DELETE active :slots",
      ...exists,
      ExpressionAttributeValues: { ":slots": new Set(slots) },
    });
  };
  return {
    release,
    /** Takes a slot; `undefined` when the account has none left. */
    take: async (userId: number): Promise<string | undefined> => {
      const second = Math.floor(now() / 1_000);
      const slot = `${second + slotSeconds}.${randomBytes(6).toString("base64url")}`;
      const taking = {
        Key: callbackKeys.slots(userId),
        UpdateExpression: "SET expires_at = :end ADD active :slot",
        ConditionExpression: "NOT size(active) >= :max",
        ExpressionAttributeValues: {
          ":end": second + slotSeconds,
          ":slot": new Set([slot]),
          ":max": maxAtOnce,
        },
      };
      const { applied, item } = await table.update(taking);
      if (applied) return slot;
      const expired = slotsIn(item).filter((each) => Number.parseInt(each, 10) <= second);
      if (expired.length === 0) return undefined;
      await release(userId, expired);
      return (await table.update(taking)).applied ? slot : undefined;
    },
  };
};

import { slotsIn } from "../../../shared/accounts/limits/account-cleanup.ts";
import { toUpdate, withAdditions } from "../../../shared/accounts/limits/counter-update.ts";
import {
  accountCounters,
  addressGroup,
  limitKeys,
  streamSlots,
  widerNetwork,
} from "../../../shared/accounts/limits/keys.ts";
import { conditionalAddition, countIn } from "../../../shared/accounts/limits/limit-counters.ts";
import { groupsOfNetwork } from "../../../shared/accounts/limits/policies.ts";
import { secondsUntil, type Windows, windowsAt } from "../../../shared/accounts/limits/windows.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import type { Item, ItemKey, RequestTable } from "../../../shared/platform/storage/table.ts";

/** One request of a visitor, which has been counted. */
export interface VisitorAttempt {
  /** Ends the request. Calls after the first do nothing. @param outcome `refunded`: it does not count in the day. */
  end(outcome: "counted" | "refunded"): Promise<void>;
}

/** Counts the requests of visitors without an account, by IP address. */
export interface VisitorAttempts {
  /**
   * Counts a request in the day and the minute, and as one in progress. Simultaneous calls never exceed a limit.
   *
   * @throws AppError `quota_exceeded` or `rate_limited`; errors of the store, as requests must be counted.
   */
  take(sourceAddress: string, signal: AbortSignal): Promise<VisitorAttempt>;
}

/** Requests of one address in a minute, failed ones included: all visitors share the minute of one account. */
const maxPerMinute = 6;

/** All visitors share the streams of one account. */
const maxAtOnce = 2;

const endMilliseconds = 3_000;

/** How many times the limits of one address apply. */
type Share = 1 | typeof groupsOfNetwork;

const refusalOf = (item: Item, perDay: number, share: Share, time: number): AppError => {
  const { ends } = windowsAt(time);
  if (countIn(item, "requests") >= perDay * share) {
    return new AppError("quota_exceeded", {
      message: `You have used your ${perDay} requests for today. Sign up to continue, it is free.`,
      retryAfterSeconds: secondsUntil(ends.day, time),
    });
  }
  return slotsIn(item).length >= maxAtOnce * share
    ? new AppError("rate_limited", {
        message: "Two of your requests are in progress. Wait until one has ended.",
        retryAfterSeconds: 5,
      })
    : new AppError("rate_limited", { retryAfterSeconds: secondsUntil(ends.minute, time) });
};

const takingUpdate = (
  Key: ItemKey,
  slot: string,
  { minute, ends }: Windows,
  perDay: number,
  share: Share,
) => {
  const counters = [
    { attribute: "requests", limit: perDay * share },
    { attribute: accountCounters.minute(minute), limit: maxPerMinute * share },
  ];
  const added = conditionalAddition(counters, { amount: 1, expiresAt: Math.floor(ends.day / 1_000) });
  return toUpdate({
    Key,
    ...added,
    additions: [...added.additions, "streams :slot"],
    ConditionExpression: `${added.ConditionExpression} AND NOT size(streams) >= :atOnce`,
    ExpressionAttributeValues: {
      ...added.ExpressionAttributeValues,
      ":slot": new Set([slot]),
      ":atOnce": maxAtOnce * share,
    },
  });
};

const releasingUpdate = (Key: ItemKey, slots: readonly string[], refunded = 0) =>
  toUpdate(
    withAdditions(
      {
        Key,
        clauses: "DELETE streams :slots",
        additions: [],
        ExpressionAttributeValues: { ":slots": new Set(slots) },
      },
      new Map(refunded > 0 ? [["requests", -refunded]] : []),
    ),
  );

/** Counts in the service's table; access pattern C10 of `shared/accounts/limits/README.md`. */
export const createVisitorAttempts = (
  table: Pick<RequestTable, "update" | "updateWithFallback">,
  perDay: number,
  now: () => number = Date.now,
): VisitorAttempts => {
  const takeFrom = async (group: string, share: Share, signal: AbortSignal): Promise<VisitorAttempt> => {
    const time = now();
    const windows = windowsAt(time);
    const Key = limitKeys.visitorAttempts(group, windows.day);
    const slot = streamSlots.take(time);
    const taking = takingUpdate(Key, slot, windows, perDay, share);
    let result = await table.update(taking, signal);
    const expired = slotsIn(result.item).filter((each) => streamSlots.isOver(each, windows));
    if (!result.applied && expired.length > 0) {
      await table.update(releasingUpdate(Key, expired), signal);
      result = await table.update(taking, signal);
    }
    if (!result.applied) throw refusalOf(result.item, perDay, share, time);
    let hasEnded = false;
    return {
      end: async (outcome) => {
        if (hasEnded) return;
        hasEnded = true;
        // If the outcome of a write is unknown, the next one does not refund: the first may have done it.
        await table.updateWithFallback(
          releasingUpdate(Key, [slot], outcome === "refunded" ? 1 : 0),
          () => releasingUpdate(Key, [slot]),
          AbortSignal.timeout(endMilliseconds),
        );
      },
    };
  };

  return {
    take: async (sourceAddress, signal) => {
      const own = await takeFrom(addressGroup(sourceAddress), 1, signal);
      const network = widerNetwork(sourceAddress);
      if (network === undefined) return own;
      const shared = await takeFrom(network, groupsOfNetwork, signal).catch(async (error: unknown) => {
        await own.end("refunded");
        throw error;
      });
      return {
        end: async (outcome) => {
          await Promise.all([own.end(outcome), shared.end(outcome)]);
        },
      };
    },
  };
};

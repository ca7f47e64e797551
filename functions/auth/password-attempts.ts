import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { limitKeys } from "../../shared/limits/keys.ts";
import { type CounterValues, numbersOf } from "../../shared/limits/limit-counters.ts";
import type { Table } from "../../shared/storage/table.ts";

/** What is remembered of the wrong passwords for one name. */
export interface PasswordAttempts {
  readonly failures: number;
  /** Milliseconds of Unix time before which no further password is looked at; 0 while there is no wait. */
  readonly blockedUntil: number;
  /** Milliseconds of Unix time at which all of this is forgotten. */
  readonly forgottenAt: number;
}

/** Wrong passwords that cost nothing, within the window. The wait doubles with each further one and always ends. */
const freeFailures = 5;
const windowSeconds = 15 * 60;
const firstWaitSeconds = 5;
const longestWaitSeconds = 15 * 60;

/** How long a name must wait after so many wrong passwords. */
const waitSecondsAfter = (failures: number): number =>
  failures < freeFailures
    ? 0
    : Math.min(longestWaitSeconds, firstWaitSeconds * 2 ** (failures - freeFailures));

/** Milliseconds until another password may be tried; 0 when that is now. */
export const remainingWait = (attempts: PasswordAttempts | undefined, now: number): number =>
  Math.max(0, (attempts?.blockedUntil ?? 0) - now);

/**
 * What is to be remembered after one more wrong password.
 *
 * The first ones are forgotten together, fifteen minutes after the first of them. From the fifth on each makes the name
 * wait, twice as long as the one before, and is forgotten fifteen minutes after the wait: who never stops guessing never
 * gets the free ones back.
 */
export const afterWrongPassword = (attempts: PasswordAttempts | undefined, now: number): PasswordAttempts => {
  const known = attempts && attempts.forgottenAt > now ? attempts : undefined;
  const failures = (known?.failures ?? 0) + 1;
  const wait = waitSecondsAfter(failures) * 1_000;
  if (wait > 0) {
    const blockedUntil = now + wait;
    return { failures, blockedUntil, forgottenAt: blockedUntil + windowSeconds * 1_000 };
  }
  return { failures, blockedUntil: 0, forgottenAt: known?.forgottenAt ?? now + windowSeconds * 1_000 };
};

/** Wrong passwords in the table. Waits are in milliseconds; 0 means that there is none. */
export interface PasswordAttemptsRepository {
  /** How long the name must wait before a password is looked at. */
  waitOf(name: string): Promise<number>;
  /** Remembers a wrong password. @returns the wait that others have caused meanwhile; then nothing is added. */
  addWrong(name: string): Promise<number>;
  /** Forgets all wrong passwords. @returns the wait that others have caused meanwhile; then nothing is forgotten. */
  clearAfterRight(name: string): Promise<number>;
  /** Forgets all wrong passwords, whatever the wait. */
  forget(name: string): Promise<void>;
}

const attemptsOf = (values: CounterValues): PasswordAttempts | undefined => {
  const failures = values.get("failures");
  const blockedUntil = values.get("blocked_until");
  const forgottenAt = values.get("forgotten_at");
  return failures === undefined || blockedUntil === undefined || forgottenAt === undefined
    ? undefined
    : { failures, blockedUntil, forgottenAt };
};

/** The item that an error carries is in DynamoDB's own notation: the document client leaves errors alone. */
const attemptsInTheWay = ({ Item }: ConditionalCheckFailedException): PasswordAttempts | undefined =>
  attemptsOf(numbersOf(Item && unmarshall(Item)));

const toItem = ({ failures, blockedUntil, forgottenAt }: PasswordAttempts) => ({
  failures,
  blocked_until: blockedUntil,
  forgotten_at: forgottenAt,
  expires_at: Math.ceil(forgottenAt / 1_000),
});

/** The condition that an item is still as it was read. */
const unchanged = (seen: PasswordAttempts | undefined) =>
  seen
    ? {
        ConditionExpression: "failures = :failures AND forgotten_at = :forgotten",
        ExpressionAttributeValues: { ":failures": seen.failures, ":forgotten": seen.forgottenAt },
      }
    : { ConditionExpression: "attribute_not_exists(PK)" };

/** The repository of wrong passwords over the service's table; access pattern C3 of this folder's README. */
export const createPasswordAttemptsRepository = (
  { client, name: TableName }: Table,
  now: () => number = Date.now,
): PasswordAttemptsRepository => {
  const find = async (name: string): Promise<PasswordAttempts | undefined> => {
    const { Item } = await client.send(
      new GetCommand({ TableName, Key: limitKeys.passwordAttempts(name), ConsistentRead: true }),
    );
    return attemptsOf(numbersOf(Item));
  };

  /** @returns the item that stood in the way; `undefined` when the write was made. */
  const replace = async (name: string, seen: PasswordAttempts | undefined, next: PasswordAttempts) => {
    try {
      await client.send(
        new PutCommand({
          TableName,
          Item: { ...limitKeys.passwordAttempts(name), ...toItem(next) },
          ...unchanged(seen),
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        }),
      );
      return undefined;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return { found: attemptsInTheWay(error) };
    }
  };

  return {
    waitOf: async (name) => remainingWait(await find(name), now()),

    addWrong: async (name) => {
      // Ends soon: each round that fails is one in which somebody else's wrong password was added, and after a few of
      // those the name has to wait.
      for (let seen = await find(name); ; ) {
        const wait = remainingWait(seen, now());
        if (wait > 0) return wait;
        const conflict = await replace(name, seen, afterWrongPassword(seen, now()));
        if (!conflict) return 0;
        seen = conflict.found;
      }
    },

    clearAfterRight: async (name) => {
      try {
        await client.send(
          new DeleteCommand({
            TableName,
            Key: limitKeys.passwordAttempts(name),
            ConditionExpression: "attribute_not_exists(PK) OR blocked_until <= :now",
            ExpressionAttributeValues: { ":now": now() },
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        );
        return 0;
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        return remainingWait(attemptsInTheWay(error), now());
      }
    },

    forget: async (name) => {
      await client.send(new DeleteCommand({ TableName, Key: limitKeys.passwordAttempts(name) }));
    },
  };
};

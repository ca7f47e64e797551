import { AppError } from "../../platform/errors/app-error.ts";
import { limitKeys } from "../limits/keys.ts";
import { type CountKey, type PasswordAttemptsRepository, usualFreeFailures } from "./password-attempts.ts";
import type { SignInAddresses } from "./sign-in-addresses.ts";

/** Who tries a password. */
export interface SignInAttempt {
  /** The user name or e-mail address, as it was typed. */
  readonly name: string;
  readonly sourceAddress: string;
}

type Open<Opened> = () => Promise<Opened | undefined>;

/**
 * Makes guessing of passwords slow, for names that exist and for names that do not, and lets nobody lock out others.
 *
 * Wrong passwords are counted by name and group of addresses. So that many addresses gain little, there is a laxer count
 * by name alone, to which one address adds too little to make others wait. Addresses from which the account was signed in
 * to have only their own count: their owner gets in, whatever others do.
 */
export interface PasswordGuard {
  /**
   * Looks at one password for a name.
   *
   * What decides is the order in which passwords turn out wrong, not that in which they were sent: of many that are sent
   * at the same moment, those beyond the free ones are refused, the right one included.
   *
   * @param open compares the password and gives what the right one opens, or `undefined`; not called while there is a
   * wait.
   * @throws AppError `rate_limited` while there is a wait; it says how long.
   */
  attempt<Opened>(signIn: SignInAttempt, open: Open<Opened>): Promise<Opened | undefined>;
  /** The same for somebody who has a token of the account; no count of other people stands in their way. */
  confirm<Opened>(userId: number, open: Open<Opened>): Promise<Opened | undefined>;
  /** Remembers that the account of these names was signed in to from an address. */
  rememberAddress(names: readonly string[], sourceAddress: string): Promise<void>;
  /** Ends the waits of somebody who has shown to be the owner of these names in another way. */
  forgive(names: readonly string[], sourceAddress: string): Promise<void>;
}

/** The count by name alone waits after so many wrong passwords in a day. */
const freeFailuresOfName = 100;
/** So many of one group of addresses go into the count by name alone: it takes ten groups to make others wait. */
const maxOfOneGroup = 10;

const refuseWhile = (waitMilliseconds: number): void => {
  if (waitMilliseconds <= 0) return;
  const seconds = Math.ceil(waitMilliseconds / 1_000);
  throw new AppError("rate_limited", {
    message: `Too many wrong passwords for this account name; try again in ${seconds} seconds.`,
    retryAfterSeconds: seconds,
  });
};

export const createPasswordGuard = (
  attempts: PasswordAttemptsRepository,
  addresses: SignInAddresses,
): PasswordGuard => ({
  attempt: async ({ name, sourceAddress }, open) => {
    const own = limitKeys.passwordAttemptsFrom(name, sourceAddress);
    const ofName = limitKeys.passwordAttempts(name);
    const [isKnown, ownWait, waitOfName] = await Promise.all([
      addresses.isKnown(name, sourceAddress),
      attempts.waitOf(own),
      attempts.waitOf(ofName),
    ]);
    refuseWhile(isKnown ? ownWait : Math.max(ownWait, waitOfName));
    const opened = await open();
    if (opened !== undefined) {
      refuseWhile(await attempts.clearAfterRight(own));
      // Not cleared: the owner's success is none of those who guess.
      if (!isKnown) refuseWhile(await attempts.waitOf(ofName));
      return opened;
    }
    const { wait, failures } = await attempts.addWrong(own, usualFreeFailures);
    refuseWhile(wait);
    if (isKnown || failures > maxOfOneGroup) return undefined;
    refuseWhile((await attempts.addWrong(ofName, freeFailuresOfName)).wait);
    return undefined;
  },

  confirm: async (userId, open) => {
    const count: CountKey = limitKeys.confirmations(userId);
    refuseWhile(await attempts.waitOf(count));
    const opened = await open();
    refuseWhile(
      opened === undefined
        ? (await attempts.addWrong(count, usualFreeFailures)).wait
        : await attempts.clearAfterRight(count),
    );
    return opened;
  },

  rememberAddress: (names, sourceAddress) => addresses.remember(names, sourceAddress),

  forgive: async (names, sourceAddress) => {
    const counts = names.flatMap((name) => [
      limitKeys.passwordAttempts(name),
      limitKeys.passwordAttemptsFrom(name, sourceAddress),
    ]);
    await Promise.all(counts.map((count) => attempts.forget(count)));
  },
});

import { AppError } from "../../platform/errors/app-error.ts";
import type { ItemKey } from "../../platform/storage/table.ts";
import { limitKeys } from "../limits/keys.ts";
import { type PasswordAttemptsRepository, usualFreeFailures } from "./password-attempts.ts";
import type { SignInAddresses } from "./sign-in-addresses.ts";

/** An attempt to sign in. */
export interface SignInAttempt {
  /** The username or email address, as it was typed. */
  readonly name: string;
  readonly sourceAddress: string;
}

/** An attempt to sign in with a code, after the password. */
export interface CodeAttempt extends SignInAttempt {
  readonly userId: number;
}

type Open<Opened> = () => Promise<Opened | undefined>;

/**
 * Slows down guessing of passwords, for names that exist and for names that do not, without letting anyone lock out others.
 *
 * Wrong passwords are counted by name and group of addresses. Against guessing from many addresses there is a second, laxer
 * count by name alone, to which one address can add too little to make others wait. Addresses from which the account was
 * signed in to have only their own count, so the guesses of others do not delay the owner.
 */
export interface PasswordGuard {
  /**
   * Checks one password for a name. Of many that are sent at once, those beyond the free ones are refused, even the right one.
   *
   * @param open compares the password and returns what the right one opens, or `undefined`; not called during a wait.
   * @throws AppError `rate_limited` during a wait, with its length.
   */
  attempt<Opened>(signIn: SignInAttempt, open: Open<Opened>): Promise<Opened | undefined>;
  /** The same for a caller with a token of the account, who has a separate count. */
  confirm<Opened>(userId: number, open: Open<Opened>): Promise<Opened | undefined>;
  /** The same as `attempt` for codes of the second factor, which have counts of their own: a right password does not end them. */
  attemptCode<Opened>(signIn: CodeAttempt, open: Open<Opened>): Promise<Opened | undefined>;
  /** The same as `confirm` for codes of the second factor. */
  confirmCode<Opened>(userId: number, open: Open<Opened>): Promise<Opened | undefined>;
  /** Remembers that the account with these names was signed in to from an address. */
  rememberAddress(names: readonly string[], sourceAddress: string): Promise<void>;
  /** Ends the waits of a caller who has proved in another way to be the owner of these names. */
  forgive(names: readonly string[], sourceAddress: string): Promise<void>;
}

/** The wrong passwords a day after which the count by name alone causes waits. */
const freeFailuresOfName = 100;
/** One group of addresses adds at most this many to the count by name: it takes ten groups to make others wait. */
const maxOfOneGroup = 10;

const wrong = { passwords: "wrong passwords for this account name", codes: "wrong codes for this account" };
type Guessed = keyof typeof wrong;

const refuseWhile = (waitMilliseconds: number, guessed: Guessed): void => {
  if (waitMilliseconds <= 0) return;
  const seconds = Math.ceil(waitMilliseconds / 1_000);
  throw new AppError("rate_limited", {
    message: `Too many ${wrong[guessed]}; try again in ${seconds} seconds.`,
    retryAfterSeconds: seconds,
  });
};

/** The counts of an attempt to sign in. */
interface Counts {
  readonly guessed: Guessed;
  /** Of the group of addresses. */
  readonly own: ItemKey;
  /** Of all addresses, which an address that is known does not have to wait for. */
  readonly ofAll: ItemKey;
}

const attemptWith = async <Opened>(
  { name, sourceAddress }: SignInAttempt,
  { guessed, own, ofAll }: Counts,
  open: Open<Opened>,
  { attempts, addresses }: Stores,
): Promise<Opened | undefined> => {
  const [isKnown, ownWait, waitOfAll] = await Promise.all([
    addresses.isKnown(name, sourceAddress),
    attempts.waitOf(own),
    attempts.waitOf(ofAll),
  ]);
  refuseWhile(isKnown ? ownWait : Math.max(ownWait, waitOfAll), guessed);
  const opened = await open();
  if (opened !== undefined) {
    refuseWhile(await attempts.clearAfterRight(own), guessed);
    // Not cleared: others may still be guessing.
    if (!isKnown) refuseWhile(await attempts.waitOf(ofAll), guessed);
    return opened;
  }
  const { wait, failures } = await attempts.addWrong(own, usualFreeFailures);
  refuseWhile(wait, guessed);
  if (isKnown || failures > maxOfOneGroup) return undefined;
  refuseWhile((await attempts.addWrong(ofAll, freeFailuresOfName)).wait, guessed);
  return undefined;
};

const confirmWith = async <Opened>(
  count: ItemKey,
  guessed: Guessed,
  open: Open<Opened>,
  { attempts }: Pick<Stores, "attempts">,
): Promise<Opened | undefined> => {
  refuseWhile(await attempts.waitOf(count), guessed);
  const opened = await open();
  refuseWhile(
    opened === undefined
      ? (await attempts.addWrong(count, usualFreeFailures)).wait
      : await attempts.clearAfterRight(count),
    guessed,
  );
  return opened;
};

interface Stores {
  readonly attempts: PasswordAttemptsRepository;
  readonly addresses: SignInAddresses;
}

export const createPasswordGuard = (
  attempts: PasswordAttemptsRepository,
  addresses: SignInAddresses,
): PasswordGuard => {
  const stores = { attempts, addresses };
  return {
    attempt: (signIn, open) => {
      const own = limitKeys.passwordAttemptsFrom(signIn.name, signIn.sourceAddress);
      const ofAll = limitKeys.passwordAttempts(signIn.name);
      return attemptWith(signIn, { guessed: "passwords", own, ofAll }, open, stores);
    },

    attemptCode: (signIn, open) => {
      const own = limitKeys.codeAttemptsFrom(signIn.userId, signIn.sourceAddress);
      const ofAll = limitKeys.codeAttempts(signIn.userId);
      return attemptWith(signIn, { guessed: "codes", own, ofAll }, open, stores);
    },

    confirm: (userId, open) => confirmWith(limitKeys.confirmations(userId), "passwords", open, stores),

    confirmCode: (userId, open) => confirmWith(limitKeys.codeConfirmations(userId), "codes", open, stores),

    rememberAddress: (names, sourceAddress) => addresses.remember(names, sourceAddress),

    forgive: async (names, sourceAddress) => {
      const counts = names.flatMap((name) => [
        limitKeys.passwordAttempts(name),
        limitKeys.passwordAttemptsFrom(name, sourceAddress),
      ]);
      await Promise.all(counts.map((count) => attempts.forget(count)));
    },
  };
};

import { AppError } from "../../shared/errors/app-error.ts";
import type { PasswordAttemptsRepository } from "./password-attempts.ts";

/** Makes guessing of passwords slow, for names that exist and for names that do not, and locks nobody out for good. */
export interface PasswordGuard {
  /**
   * Looks at one password for a name.
   *
   * What decides is the order in which passwords turn out wrong, not that in which they were sent: of many that are sent
   * at the same moment, those beyond the free ones are refused, the right one included.
   *
   * @param open compares the password and gives what the right one opens, or `undefined`; not called while the name has
   * to wait.
   * @throws AppError `rate_limited` while the name has to wait; it says how long.
   */
  attempt<Opened>(name: string, open: () => Promise<Opened | undefined>): Promise<Opened | undefined>;
  /** Ends the wait of a name whose owner has shown to be the owner in another way. */
  forgive(name: string): Promise<void>;
}

const refuseWhile = (waitMilliseconds: number): void => {
  if (waitMilliseconds <= 0) return;
  const seconds = Math.ceil(waitMilliseconds / 1_000);
  throw new AppError("rate_limited", {
    message: `Too many wrong passwords for this account name; try again in ${seconds} seconds.`,
    retryAfterSeconds: seconds,
  });
};

export const createPasswordGuard = (attempts: PasswordAttemptsRepository): PasswordGuard => ({
  attempt: async (name, open) => {
    refuseWhile(await attempts.waitOf(name));
    const opened = await open();
    refuseWhile(opened === undefined ? await attempts.addWrong(name) : await attempts.clearAfterRight(name));
    return opened;
  },
  forgive: (name) => attempts.forget(name),
});

import type { AccountPolicies } from "../../../shared/accounts/limits/policies.ts";
import { fill } from "../../../shared/pages/texts/languages.ts";
import { numbersIn } from "../../../shared/pages/view/dates.ts";
import { useFrame } from "../../../shared/pages/view/frame.ts";

/** The requests a day of a new account, once its address is verified and before; none where they have no limit. */
export interface RequestsPerDay {
  readonly verified: number | undefined;
  readonly before: number | undefined;
}

/** The requests a day that new accounts have at this stage. */
export const dailyRequests = (policyOf: AccountPolicies): RequestsPerDay => {
  const perDay = (isVerified: boolean) =>
    policyOf({ account_type: "Free", email_verified: isVerified }).perDay;
  return { verified: perDay(true), before: perDay(false) };
};

/** A sentence about what is free. */
export const DailyRequests = ({ verified, before }: RequestsPerDay) => {
  const { texts, language } = useFrame();
  const number = numbersIn(language);
  if (verified === undefined || before === undefined) return null;
  const words = verified === before ? texts.signUp.limitsAtOnce : texts.signUp.limits;
  return (
    <p class="about">
      {fill(words, { perDay: number.format(verified), perDayBefore: number.format(before) })}
    </p>
  );
};

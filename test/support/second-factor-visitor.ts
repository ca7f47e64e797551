import { setTimeout as sleep } from "node:timers/promises";
import { stepSeconds } from "../../shared/accounts/second-factor/totp.ts";
import type { FormVisitor, SeenPage } from "./form-visitor.ts";
import { codeOf, secretIn } from "./second-factor.ts";

export const secondFactorPath = "/console/account/second-factor";

export const recoveryCodesIn = ({ html }: Pick<SeenPage, "html">): string[] =>
  html.match(/\b[a-z2-9]{4}(?:-[a-z2-9]{4}){3}\b/g) ?? [];

/** Sets up a second factor on the page of the account, with the code of the step before: so the next two can still be used. */
export const setUpSecondFactor = async (visitor: FormVisitor, password: string) => {
  const start = await visitor.open(secondFactorPath);
  const waiting = await visitor.send(start, secondFactorPath, { action: "start", password });
  const secret = secretIn(waiting.html);
  const stepMilliseconds = 1_000 * stepSeconds;
  const left = stepMilliseconds - (Date.now() % stepMilliseconds);
  // Otherwise the code of the step before could expire on its way.
  if (left < 2_000) await sleep(left);
  const done = await visitor.send(waiting, secondFactorPath, {
    action: "turn-on",
    code: codeOf(secret, -1),
  });
  return { secret, waiting, done, recoveryCodes: recoveryCodesIn(done) };
};

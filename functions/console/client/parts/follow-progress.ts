import { member, parsed, textWithin } from "../../playground/read-response.ts";
import { clockOf } from "../../recordings/clock.ts";
import { createTokenSource, type TokenSource } from "./token.ts";

const pauseMilliseconds = 3_000;

const showProgress = (card: HTMLElement, job: unknown): void => {
  const [done, total] = [Number(member(job, "progress", "done")), Number(member(job, "progress", "total"))];
  const bar = card.querySelector("progress");
  if (bar) bar.value = done;
  const said = card.querySelector("[data-said]");
  const { progress: words = "", unit } = card.dataset;
  const written = unit === "seconds" ? clockOf : String;
  if (said) said.textContent = words.replace("{done}", written(done)).replace("{total}", written(total));
};

/** Fetches the job. Reloads the page when its status changed, when it is gone, or to lead to the login page. */
const update = async (card: HTMLElement, freshToken: TokenSource): Promise<void> => {
  const signal = AbortSignal.timeout(20_000);
  const token = await freshToken(signal);
  if (typeof token !== "string") return token.status < 500 ? location.reload() : undefined;
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(card.dataset["job"] ?? "", { headers, signal });
  if (response.status === 404) return location.reload();
  if (!response.ok) return;
  const job = parsed(await response.text());
  if (textWithin(job, "status") !== card.dataset["status"]) location.reload();
  else showProgress(card, job);
};

/** Shows the progress of a job, and reloads the page when its status changes. */
export const followProgress = (card: HTMLElement): void => {
  const { token = "", formToken = "" } = card.dataset;
  const freshToken = createTokenSource(token, formToken);
  const schedule = (): void => {
    setTimeout(async () => {
      // A failure is ignored: a lost connection comes back.
      if (!document.hidden) await update(card, freshToken).catch(() => undefined);
      schedule();
    }, pauseMilliseconds);
  };
  schedule();
};

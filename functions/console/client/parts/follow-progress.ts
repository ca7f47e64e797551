import { member, parsed, textWithin } from "../../../../shared/pages/client/parts/read-response.ts";
import { createTokenSource, type TokenSource } from "../../../../shared/pages/client/parts/token.ts";
import { clockOf } from "../../recordings/clock.ts";

const pauseMilliseconds = 3_000;

/** The stages of a job after its transcription count pieces, not seconds. */
const isAfterTranscription = (stage: string | undefined): stage is "translating" | "speaking" =>
  stage === "translating" || stage === "speaking";

const showProgress = (card: HTMLElement, job: unknown): void => {
  const stage = textWithin(job, "stage", "name");
  const isAfter = isAfterTranscription(stage);
  const counted = isAfter ? "stage" : "progress";
  const [done, total] = [Number(member(job, counted, "done")), Number(member(job, counted, "total"))];
  const bar = card.querySelector("progress");
  if (bar) bar.value = done;
  const said = card.querySelector("[data-said]");
  const words = card.dataset[isAfter ? stage : "progress"] ?? "";
  const isCount = isAfter || card.dataset["unit"] === "characters";
  const shown = (count: number): string => (isCount ? String(count) : clockOf(count));
  if (said) said.textContent = words.replace("{done}", shown(done)).replace("{total}", shown(total));
};

/** A transcript that is complete, or another stage, is shown by the page. */
const hasChanged = (card: HTMLElement, job: unknown): boolean => {
  const stage = textWithin(job, "stage", "name") ?? "";
  const isAfter = isAfterTranscription(stage) && stage !== card.dataset["stage"];
  return textWithin(job, "status") !== card.dataset["status"] || isAfter;
};

/** Fetches the job. Reloads the page when its status or stage changed, when it is gone, or to lead to the login page. */
const update = async (card: HTMLElement, freshToken: TokenSource): Promise<void> => {
  const signal = AbortSignal.timeout(20_000);
  const token = await freshToken(signal);
  if (typeof token !== "string") return token.status < 500 ? location.reload() : undefined;
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(card.dataset["job"] ?? "", { headers, signal });
  if (response.status === 404) return location.reload();
  if (!response.ok) return;
  const job = parsed(await response.text());
  if (hasChanged(card, job)) location.reload();
  else showProgress(card, job);
};

/** Shows the progress of a job, and reloads the page when its status or stage changes. */
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

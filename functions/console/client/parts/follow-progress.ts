import { clockOf } from "../../recordings/clock.ts";
import { member, parsed, textWithin } from "./read.ts";
import { createTokenSource } from "./token.ts";

const pauseMilliseconds = 3_000;

/** Shows how far a job is, and the page again when that is another state. */
export const followProgress = (card: HTMLElement): void => {
  const { dataset } = card;
  const freshToken = createTokenSource(dataset["token"] ?? "", dataset["formToken"] ?? "");
  const bar = card.querySelector("progress");
  const said = card.querySelector("[data-said]");

  const show = (job: unknown): void => {
    const [done, total] = [Number(member(job, "progress", "done")), Number(member(job, "progress", "total"))];
    if (bar) bar.value = done;
    const words = dataset["progress"] ?? "";
    if (said) said.textContent = words.replace("{done}", clockOf(done)).replace("{total}", clockOf(total));
  };

  const ask = async (): Promise<void> => {
    const signal = AbortSignal.timeout(20_000);
    const token = await freshToken(signal);
    // Whoever is not signed in any more is led to the log-in.
    if (typeof token !== "string") return token.status < 500 ? location.reload() : undefined;
    const response = await fetch(dataset["job"] ?? "", {
      headers: { Authorization: `Bearer ${token}` },
      signal,
    });
    if (response.status === 404) return location.reload();
    if (!response.ok) return;
    const job = parsed(await response.text());
    if (textWithin(job, "status") !== dataset["status"]) location.reload();
    else show(job);
  };

  const again = (): void => {
    setTimeout(() => {
      if (document.hidden) again();
      // A connection that was lost comes back.
      else
        void ask()
          .catch(() => undefined)
          .finally(again);
    }, pauseMilliseconds);
  };
  again();
};

import * as z from "zod";
import { falseLengths } from "../fixtures/audio/false-lengths.ts";
import { type Attack, type Outcome, refusedIf, type Target } from "./attack.ts";
import { uploadFile } from "./uploads.ts";
import { ask, newVisitor, read } from "./visitor.ts";

const usedAudio = z.object({ recordings_this_month: z.object({ used: z.number() }) });

/** Has a recording transcribed. What counts is how many of its seconds are deducted from the month. */
const transcribe = async (target: Target, file: Buffer, expected: number | RegExp): Promise<Outcome> => {
  const { token } = await newVisitor(target);
  const body = { type: "transcription", file_id: await uploadFile(target, token, file), language: "lug" };
  const { status, text } = await ask(target, "/tasks/jobs", { token, body });
  const { used } = read(await ask(target, "/auth/usage", { token }), usedAudio).recordings_this_month;
  // The month of a new account has fewer seconds.
  const isRefused = status === 429 && text.includes("quota_exceeded");
  const figure = `${status}, ${used} seconds counted`;
  if (typeof expected !== "number") return refusedIf(status === 400 && used === 0, figure);
  const isCounted = status === 202 && used >= expected - 1;
  return { ...refusedIf(isRefused || isCounted, figure), ...(isCounted ? { result: "held" } : {}) };
};

/** Recordings that state fewer seconds than they play: number 17. */
export const recordingAttacks: readonly Attack[] = falseLengths.map(({ name, file, expected }) => ({
  number: 19,
  name: `a recording that states a false length: ${name}`,
  attempt: (target) => transcribe(target, file, expected),
}));

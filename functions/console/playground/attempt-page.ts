import * as z from "zod";
import { resultIn } from "../../../shared/pages/client/parts/read-response.ts";
import type { Visit } from "../../../shared/pages/server/visit.ts";
import type { AttemptName, AttemptValues, ChatTurn } from "./attempts.ts";
import { firstValues } from "./first-values.ts";
import type { AttemptAccess, PanelProps } from "./panel.tsx";
import { voiceFor } from "./panel-input.tsx";
import { type AttemptDependencies, readAttempt, runAttempt } from "./run-attempt.ts";

/** The links of speech that this browser may play. */
export const speechPath = "/console/playground/speech";

/** More turns than a person writes in one sitting. */
const maxTurns = 40;

const conversation = z
  .array(z.object({ role: z.enum(["user", "assistant"]), content: z.string() }))
  .max(maxTurns);

const readTurns = (earlier: string | undefined): readonly ChatTurn[] => {
  try {
    return conversation.parse(JSON.parse(earlier ?? "[]"));
  } catch {
    return [];
  }
};

/** How this visit can send requests. */
export const accessOf = ({ account }: Pick<Visit, "account">, attemptsPerDay: number): AttemptAccess => {
  if (account) return { kind: "account" };
  return attemptsPerDay > 0 ? { kind: "visitor", attemptsPerDay } : { kind: "closed" };
};

/** What is signed for a link to speech. */
export const speechLink = (text: string, voice: string): string =>
  new URLSearchParams({ text, voice }).toString();

const signedSpeech = ({ sign }: Visit, text: string, voice: string | undefined): string | undefined => {
  if (voice === undefined || text === "") return undefined;
  const link = speechLink(text, voice);
  return `${speechPath}?${link}&signature=${sign(link)}`;
};

const swapped = ({ source, target = "", ...values }: AttemptValues): AttemptValues =>
  source ? { ...values, source: target, target: source } : { ...values, source: "", target };

/** The part of a panel's properties that depends on a form sent without JavaScript. */
type Outcome = Pick<PanelProps, "values" | "result" | "speech" | "turns">;

const converse = async (
  visit: Visit,
  values: AttemptValues,
  dependencies: AttemptDependencies,
): Promise<Outcome> => {
  const earlier = readTurns(values["earlier"]);
  const response = await runAttempt(visit, { name: "chat", values, earlier }, dependencies);
  const result = readAttempt(response, visit.texts.recordings.failed);
  if (result.kind === "problem") return { values, result, turns: earlier };
  const question: ChatTurn = { role: "user", content: values["text"] ?? "" };
  const reply: ChatTurn = { role: "assistant", content: resultIn(result.body) };
  return { values: { ...values, text: "" }, result, turns: [...earlier, question, reply] };
};

/**
 * Handles the form of a panel: sends its request, or swaps its languages.
 *
 * @throws those of `runAttempt`; the form is then shown again.
 */
export const submitAttempt = async (
  visit: Visit,
  name: AttemptName,
  sent: Readonly<Record<string, string | undefined>>,
  dependencies: AttemptDependencies,
): Promise<Outcome> => {
  const given = Object.entries(sent).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  const values: AttemptValues = { ...firstValues(name), ...Object.fromEntries(given) };
  if (values["swap"]) return { values: swapped(values) };
  if (name === "chat") return converse(visit, values, dependencies);
  if (name === "speak") {
    // The player requests the speech itself, so there is one request.
    return {
      values,
      speech: signedSpeech(visit, values["text"] ?? "", values["voice"] || voiceFor(values["language"])),
    };
  }
  const result = readAttempt(
    await runAttempt(visit, { name, values }, dependencies),
    visit.texts.recordings.failed,
  );
  if (name !== "translate" || result.kind === "problem") return { values, result };
  return { values, result, speech: signedSpeech(visit, resultIn(result.body), voiceFor(values["target"])) };
};

import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { type Attack, attacksOf, heldIf, type Outcome, type Target } from "./attack.ts";
import {
  endlessReplies,
  idleEnds,
  idleMilliseconds,
  orderOf,
  replyText,
  thoughts,
  thoughtWord,
} from "./model-server.ts";
import { type AttackResponse, ask, newVisitor } from "./visitor.ts";

type Way = (target: Target, token: string, message: string) => Promise<AttackResponse>;

const chat =
  (model: string, isStream: boolean): Way =>
  (target, token, message) =>
    ask(target, "/tasks/chat/completions", {
      token,
      body: { model, stream: isStream, messages: [{ role: "user", content: message }] },
    });

const translate: Way = (target, token, text) =>
  ask(target, "/tasks/translate", { token, body: { source_language: "eng", target_language: "lug", text } });

const ways: readonly (readonly [name: string, way: Way])[] = [
  ["whole chat", chat("lang-9b", false)],
  ["streamed chat", chat("lang-9b", true)],
  ["translation", translate],
];

/** A model's time in all, twice for a second try, and what a busy machine takes. */
const maxMilliseconds = ({ modelMilliseconds }: Target): number => 2 * modelMilliseconds + 3_000;

/** The whole text of a streamed response. */
const pieces = /"content":("(?:[^"\\]|\\.)*")/g;
const wordsOf = ({ text }: AttackResponse): string =>
  [...text.matchAll(pieces)].map(([, piece = '""']) => z.string().parse(JSON.parse(piece))).join("");

const askEndless = async (target: Target, behaviour: string): Promise<Outcome> => {
  const { token } = await newVisitor(target);
  const found: string[] = [];
  let holds = true;
  for (const [name, way] of ways) {
    const attacked = await way(target, token, orderOf(behaviour));
    const isReported = attacked.status >= 500 || /"error":\{/.test(attacked.text);
    holds &&= isReported && attacked.milliseconds <= maxMilliseconds(target);
    found.push(`${name} reported after ${(attacked.milliseconds / 1_000).toFixed(1)} s`);
  }
  // One silent model must not affect callers of the others.
  const next: number[] = [];
  for (const [, way] of ways) next.push((await way(target, token, "Oli otya?")).status);
  return heldIf(
    holds && next.every((status) => status === 200),
    `${found.join(", ")} (a model has ${target.modelMilliseconds / 1_000} s), the next requests ${next.join(" ")}`,
  );
};

/** Calls each model, and again after an idle time that is too long for its server. */
const askAfterIdling = async (target: Target, first: string, second: string): Promise<Outcome> => {
  const { token } = await newVisitor(target);
  const found: string[] = [];
  let holds = true;
  for (const [name, way] of ways) {
    const { status } = await way(target, token, first);
    await pause(3 * idleMilliseconds);
    const again = await way(target, token, second);
    holds &&= again.status === 200 && !/"error":\{/.test(again.text);
    found.push(`${name} ${status} ${again.status}`);
  }
  return heldIf(holds, found.join(", "));
};

/** A stream has been sent before the second end tag shows that the thought continued. */
const isForeseeable = (form: string): boolean => form !== "several ends";

/** Nothing at the start marks it as a thought, unless the model is known to think first. */
const isAnnounced = (form: string): boolean => isForeseeable(form) && form !== "an end without a beginning";

const showsReply = (response: AttackResponse): boolean =>
  response.status === 200 && (wordsOf(response) + response.text).includes(replyText);

/** Requests each format of thoughts. */
const thoughtsIn = async (target: Target, way: Way, forms: readonly string[]): Promise<Outcome> => {
  const { token } = await newVisitor(target);
  const leaking: string[] = [];
  for (const form of forms) {
    const response = await way(target, token, orderOf(form));
    const leaks = `${wordsOf(response)}${response.text}`.includes(thoughtWord);
    if (leaks || !showsReply(response)) leaking.push(`${form} (${leaks ? "shown" : response.status})`);
  }
  return heldIf(
    leaking.length === 0,
    `${forms.length - leaking.length} of ${forms.length} forms held back${leaking.length ? `, not: ${leaking.join(", ")}` : ""}`,
  );
};

const forms = Object.keys(thoughts);

const thinking: readonly (readonly [where: string, way: Way, forms: readonly string[]])[] = [
  ["in whole responses", chat("lang-9b", false), forms],
  ["in translations", translate, forms],
  ["in streamed responses", chat("lang-9b", true), forms.filter(isAnnounced)],
  ["in streamed responses of a model that thinks first", chat("lang-14b", true), forms.filter(isForeseeable)],
];

/** Attacks 6, 7 and 16: silent model servers, models that think aloud, and servers that end idle connections. */
export const modelAttacks: readonly Attack[] = [
  ...Object.keys(endlessReplies).map(
    (behaviour): Attack => ({
      number: 6,
      name: `a model's server that ${behaviour}`,
      needs: ["models"],
      attempt: (target) => askEndless(target, behaviour),
    }),
  ),
  ...thinking.map(
    ([where, way, tried]): Attack => ({
      number: 7,
      name: `thoughts ${where}`,
      needs: ["models"],
      attempt: (target) => thoughtsIn(target, way, tried),
    }),
  ),
  ...attacksOf({ number: 16, needs: ["models"] })({
    "a request behind a connection that was opened ahead, and that a model's server has ended with 408": (
      target,
    ) => askAfterIdling(target, "", "Oli otya?"),
  }),
  ...Object.keys(idleEnds).map(
    (behaviour): Attack => ({
      number: 16,
      name: `the second call to a model's server that ${behaviour}`,
      needs: ["models"],
      attempt: (target) => askAfterIdling(target, orderOf(behaviour), orderOf(behaviour)),
    }),
  ),
];

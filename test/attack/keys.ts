import * as z from "zod";
import { type Attack, attacksOf, heldIf, refusedIf, type Target } from "./attack.ts";
import {
  type AttackResponse,
  ask,
  attacksByVisitor,
  countOf,
  newVisitor,
  read,
  statusesOf,
} from "./visitor.ts";

const created = z.object({ id: z.string(), key: z.string() });

const makeKey = async (target: Target, token: string, choices: object = {}) =>
  read(await ask(target, "/auth/keys", { token, body: { name: "a program", ...choices } }), created);

const identify = (target: Target, token: string): Promise<AttackResponse> =>
  ask(target, "/tasks/language_id", { token, body: { text: "Webale nnyo ssebo" } });

/** What a thief does with a program's key, and what its owner cannot undo: number 13. */
export const keyAttacks: readonly Attack[] = [
  ...attacksByVisitor({ number: 13 })({
    "a stolen key that makes keys of its own, changes the password and deletes the account": async (
      target,
      { token, password },
    ) => {
      const { key } = await makeKey(target, token);
      const passwords = { old_password: password, new_password: "a password of the thief" };
      const attempts = [
        await ask(target, "/auth/keys", { token: key, body: { name: "a second" } }),
        await ask(target, "/auth/keys", { token: key }),
        await ask(target, "/auth/keys", { token: key, method: "DELETE" }),
        await ask(target, "/auth/refresh-token", { token: key, method: "POST" }),
        await ask(target, "/auth/change-password", { token: key, body: passwords }),
        await ask(target, "/auth/profile", { token: key, method: "PUT", body: { full_name: "Thief" } }),
        await ask(target, "/auth/usage", { token: key }),
        await ask(target, "/auth/me", { token: key, method: "DELETE", body: { password } }),
      ];
      const owner = await ask(target, "/auth/me", { token });
      return refusedIf(
        countOf(attempts, 403) === attempts.length && owner.status === 200,
        `${statusesOf(attempts)}, the owner ${owner.status}`,
      );
    },
    "a key in another form: its account's number changed, its letters swapped, cut, in another case": async (
      target,
      { token },
    ) => {
      const { key } = await makeKey(target, token);
      const swapped = `${key.slice(0, 8)}${key[9]}${key[8]}${key.slice(10)}`;
      const forms = [
        `${key.slice(0, -7)}1${key.slice(-6)}`,
        swapped === key ? `${key}x` : swapped,
        key.slice(0, -1),
        `${key}=`,
        key.toLowerCase() === key ? key.toUpperCase() : key.toLowerCase(),
        key.replace("lai_", "LAI_"),
        `lai_${"0".repeat(48)}`,
      ];
      const responses: AttackResponse[] = [];
      for (const form of forms) responses.push(await identify(target, form));
      return refusedIf(countOf(responses, 401) === forms.length, statusesOf(responses));
    },
    "forty requests at once with a key that may do five tasks a month": async (target, { token }) => {
      const { key } = await makeKey(target, token, { monthly_limit: 5 });
      const responses = await Promise.all(Array.from({ length: 40 }, () => identify(target, key)));
      const done = countOf(responses, 200);
      return heldIf(
        done === 5 && countOf(responses, 429) === 35,
        `${done} done, ${countOf(responses, 429)} refused`,
      );
    },
    "a key that still works after it was revoked, in a burst of requests": async (target, { token }) => {
      const { key, id } = await makeKey(target, token);
      const burst = Promise.all(Array.from({ length: 15 }, () => identify(target, key)));
      const revoked = await ask(target, `/auth/keys/${id}`, { token, method: "DELETE" });
      const after = await Promise.all(Array.from({ length: 15 }, () => identify(target, key)));
      const during = await burst;
      return refusedIf(
        revoked.status === 204 && countOf(after, 401) === after.length,
        `${countOf(during, 200)} of ${during.length} before, ${countOf(after, 200)} of ${after.length} after`,
      );
    },
  }),
  ...attacksOf({ number: 13 })({
    "another account's key, revoked by someone who knows its id": async (target) => {
      const [owner, stranger] = [await newVisitor(target), await newVisitor(target)];
      const { key, id } = await makeKey(target, owner.token);
      const tried = await ask(target, `/auth/keys/${id}`, { token: stranger.token, method: "DELETE" });
      const invented = await ask(target, "/auth/keys/k000000000000", {
        token: stranger.token,
        method: "DELETE",
      });
      const used = await identify(target, key);
      return refusedIf(
        tried.status === 404 && invented.status === 404 && used.status === 200,
        `${tried.status}, an invented id ${invented.status}, the key ${used.status}`,
      );
    },
  }),
];

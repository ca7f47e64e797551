import * as z from "zod";
import { type Attack, attacksOf, heldIf, refusedIf, type Target } from "./attack.ts";
import {
  ask,
  attacksByVisitor,
  mailedToken,
  mailsTo,
  newRegistration,
  newVisitor,
  read,
  register,
  signIn,
  signInFrom,
  tokenOf,
} from "./visitor.ts";

const guess = "not the password";

/** Addresses of machines that guess passwords. */
const machines = Array.from({ length: 12 }, (_, index) => `127.0.0.${index + 2}`);

const profile = z.object({ email_verified: z.boolean() });

const isVerified = async (target: Target, token: string): Promise<boolean> =>
  read(await ask(target, "/auth/me", { token }), profile).email_verified;

const forgetPassword = (target: Target, email: string) =>
  ask(target, "/auth/forgot-password", { body: { email } });

const resetPassword = (target: Target, token: string) =>
  ask(target, "/auth/reset-password", { body: { token, new_password: "a password of the thief" } });

const changedPassword = "nine cranes over the hill";

/** Attacks 3, 4, 8 and 12: mails to strangers, links, wrong passwords, and what remains of a deleted account. */
export const accountAttacks: readonly Attack[] = [
  ...attacksByVisitor({ number: 3, needs: ["mails"] })({
    "46 verification mails to a stranger": async (target, { token, email }) => {
      for (let time = 0; time < 45; time += 1)
        await ask(target, "/auth/resend-verification", { method: "POST", token });
      const { length } = await mailsTo(target, (address) => address === email);
      // A new minute may have started, which allows one more.
      return heldIf(length >= 1 && length <= 2, `46 requested, ${length} sent`);
    },
    "30 reset mails to a stranger": async (target, { email }) => {
      for (let time = 0; time < 30; time += 1) await forgetPassword(target, email);
      const all = await mailsTo(target, (address) => address === email);
      const { length } = all.filter(({ text }) => text.includes("reset"));
      return heldIf(length >= 1 && length <= 2, `30 requested, ${length} sent`);
    },
  }),
  ...attacksOf({ number: 3, needs: ["mails"] })({
    "ten registrations with a stranger's address, each with another word behind a plus": async (target) => {
      const { username } = newRegistration();
      for (let time = 0; time < 10; time += 1) {
        await register(target, { ...newRegistration(), email: `${username}+${time}@example.com` });
      }
      const { length } = await mailsTo(target, (address) => address.startsWith(username));
      return heldIf(length >= 1 && length <= 2, `10 requested, ${length} sent`);
    },
  }),
  ...attacksByVisitor({ number: 4, needs: ["mails"] })({
    "a reset link from before a change of password": async (target, { token, email, username, password }) => {
      await forgetPassword(target, email);
      const stolen = await mailedToken(target, email);
      const body = { old_password: password, new_password: changedPassword };
      const changed = await ask(target, "/auth/change-password", { token, body });
      const { status } = await resetPassword(target, stolen);
      const owner = await signIn(target, username, changedPassword);
      return refusedIf(
        changed.status === 200 && status === 400 && owner.status === 200,
        `the link ${status}, the owner's new password ${owner.status}`,
      );
    },
    "a reset link that was used before": async (target, { email }) => {
      await forgetPassword(target, email);
      const link = await mailedToken(target, email);
      const first = await resetPassword(target, link);
      const second = await resetPassword(target, link);
      return refusedIf(
        first.status === 200 && second.status === 400,
        `${first.status}, then ${second.status}`,
      );
    },
  }),
  ...attacksByVisitor({ number: 8, needs: ["addresses"] })({
    "five wrong passwords for another account, whose owner then logs in from their own address": async (
      target,
      { username, password },
    ) => {
      const [machine = ""] = machines;
      const guesses: number[] = [];
      for (let time = 0; time < 6; time += 1)
        guesses.push(await signInFrom(target, machine, username, guess));
      const { status } = await signIn(target, username, password);
      return heldIf(
        guesses.at(-1) === 429 && status === 200,
        `the guesses ${guesses.join(" ")}, the owner ${status}`,
      );
    },
  }),
  ...attacksByVisitor({ number: 8, needs: ["addresses"], isLong: true })({
    "120 wrong passwords from twelve machines, against an owner whose address is known": async (
      target,
      { username, password },
    ) => {
      let wrong = 0;
      for (let time = 0; time < 10; time += 1) {
        for (const machine of machines) {
          if ((await signInFrom(target, machine, username, guess)) === 401) wrong += 1;
        }
      }
      const { status } = await signIn(target, username, password);
      return heldIf(status === 200, `${wrong} guesses were checked, the owner ${status}`);
    },
  }),
  ...attacksByVisitor({ number: 8 })({
    "wrong passwords for a name, whose owner changes the password with a token": async (
      target,
      { username, password, token },
    ) => {
      for (let time = 0; time < 6; time += 1)
        await ask(target, "/auth/token", { body: new URLSearchParams({ username, password: guess }) });
      const body = { old_password: password, new_password: changedPassword };
      const { status } = await ask(target, "/auth/change-password", { token, body });
      return heldIf(status === 200, `the owner ${status}`);
    },
  }),
  ...attacksByVisitor({ number: 8, needs: ["log-ins"] })({
    "wrong passwords for a username, whose owner logs in by email address": async (
      target,
      { username, email, password },
    ) => {
      for (let time = 0; time < 6; time += 1)
        await ask(target, "/auth/token", { body: new URLSearchParams({ username, password: guess }) });
      const { status } = await ask(target, "/auth/token", {
        body: new URLSearchParams({ username: email, password }),
      });
      return heldIf(status === 200, `the owner ${status}`);
    },
  }),
  ...attacksByVisitor({ number: 12, needs: ["mails"] })({
    "a mail scanner that follows a stranger's verification link": async (target, { token, email }) => {
      const query = `?token=${await mailedToken(target, email)}`;
      const [link, console] = [`/auth/verify-email${query}`, `/console/verify-email${query}`];
      const headers = { Accept: "text/html" };
      const redirect = await ask(target, link, { headers });
      const page = await ask(target, console, { headers });
      for (const path of [link, console]) await ask(target, path, { method: "HEAD", headers });
      await ask(target, link);
      const verified = await isVerified(target, token);
      return heldIf(
        redirect.status === 303 && page.status === 200 && page.text.includes("<form") && !verified,
        `${verified ? "verified" : "not verified"} after five visits`,
      );
    },
  }),
  ...attacksOf({ number: 12 })({
    "a password in another form of the same letters": async (target) => {
      const written = "résumé Ångström by the lake";
      const { username } = await newVisitor(target, written.normalize("NFD"));
      const composed = await signIn(target, username, written.normalize("NFC"));
      const other = await signIn(target, username, written.replace("é", "e"));
      return heldIf(
        composed.status === 200 && other.status === 401,
        `composed letters ${composed.status}, other letters ${other.status}`,
      );
    },
  }),
  ...attacksByVisitor({ number: 12 })({
    "an account that stays after its owner has left": async (
      target,
      { username, email, password, token },
    ) => {
      const leave = (given: string) =>
        ask(target, "/auth/me", { method: "DELETE", token, body: { password: given } });
      const refused = await leave(guess);
      const left = await leave(password);
      const me = await ask(target, "/auth/me", { token });
      const again = await signIn(target, username, password);
      const registered = await register(target, { username, email, password });
      return heldIf(
        refused.status === 401 &&
          left.status < 300 &&
          me.status === 401 &&
          again.status === 401 &&
          registered.status === 201,
        `a wrong password ${refused.status}, the right one ${left.status}, then the token ${me.status}, the password ${again.status}, the name for another account ${registered.status}`,
      );
    },
    "a token from before a new password": async (target, { username, password, token }) => {
      const other = tokenOf(await signIn(target, username, password));
      const body = { old_password: password, new_password: changedPassword };
      await ask(target, "/auth/change-password", { token, body });
      const { status } = await ask(target, "/auth/me", { token: other });
      return refusedIf(status === 401, String(status));
    },
  }),
];

import * as z from "zod";
import { type Attack, heldIf, refusedIf, type Target } from "./attack.ts";
import {
  ask,
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
  {
    number: 3,
    name: "46 verification mails to a stranger",
    needs: ["mails"],
    attempt: async (target) => {
      const { token, email } = await newVisitor(target);
      for (let time = 0; time < 45; time += 1)
        await ask(target, "/auth/resend-verification", { method: "POST", token });
      const { length } = await mailsTo(target, (address) => address === email);
      // A new minute may have started, which allows one more.
      return heldIf(length >= 1 && length <= 2, `46 requested, ${length} sent`);
    },
  },
  {
    number: 3,
    name: "30 reset mails to a stranger",
    needs: ["mails"],
    attempt: async (target) => {
      const { email } = await newVisitor(target);
      for (let time = 0; time < 30; time += 1) await forgetPassword(target, email);
      const all = await mailsTo(target, (address) => address === email);
      const { length } = all.filter(({ text }) => text.includes("reset"));
      return heldIf(length >= 1 && length <= 2, `30 requested, ${length} sent`);
    },
  },
  {
    number: 3,
    name: "ten registrations with a stranger's address, each with another word behind a plus",
    needs: ["mails"],
    attempt: async (target) => {
      const { username } = newRegistration();
      for (let time = 0; time < 10; time += 1) {
        await register(target, { ...newRegistration(), email: `${username}+${time}@example.com` });
      }
      const { length } = await mailsTo(target, (address) => address.startsWith(username));
      return heldIf(length >= 1 && length <= 2, `10 requested, ${length} sent`);
    },
  },
  {
    number: 4,
    name: "a reset link from before a change of password",
    needs: ["mails"],
    attempt: async (target) => {
      const { token, email, username, password } = await newVisitor(target);
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
  },
  {
    number: 4,
    name: "a reset link that was used before",
    needs: ["mails"],
    attempt: async (target) => {
      const { email } = await newVisitor(target);
      await forgetPassword(target, email);
      const link = await mailedToken(target, email);
      const first = await resetPassword(target, link);
      const second = await resetPassword(target, link);
      return refusedIf(
        first.status === 200 && second.status === 400,
        `${first.status}, then ${second.status}`,
      );
    },
  },
  {
    number: 8,
    name: "five wrong passwords for another account, whose owner then logs in from their own address",
    needs: ["addresses"],
    attempt: async (target) => {
      const { username, password } = await newVisitor(target);
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
  },
  {
    number: 8,
    name: "120 wrong passwords from twelve machines, against an owner whose address is known",
    needs: ["addresses"],
    isLong: true,
    attempt: async (target) => {
      const { username, password } = await newVisitor(target);
      let wrong = 0;
      for (let time = 0; time < 10; time += 1) {
        for (const machine of machines) {
          if ((await signInFrom(target, machine, username, guess)) === 401) wrong += 1;
        }
      }
      const { status } = await signIn(target, username, password);
      return heldIf(status === 200, `${wrong} guesses were checked, the owner ${status}`);
    },
  },
  {
    number: 8,
    name: "wrong passwords for a name, whose owner changes the password with a token",
    attempt: async (target) => {
      const { username, password, token } = await newVisitor(target);
      for (let time = 0; time < 6; time += 1)
        await ask(target, "/auth/token", { body: new URLSearchParams({ username, password: guess }) });
      const body = { old_password: password, new_password: changedPassword };
      const { status } = await ask(target, "/auth/change-password", { token, body });
      return heldIf(status === 200, `the owner ${status}`);
    },
  },
  {
    number: 8,
    name: "wrong passwords for a username, whose owner logs in by email address",
    needs: ["log-ins"],
    attempt: async (target) => {
      const { username, email, password } = await newVisitor(target);
      for (let time = 0; time < 6; time += 1)
        await ask(target, "/auth/token", { body: new URLSearchParams({ username, password: guess }) });
      const { status } = await ask(target, "/auth/token", {
        body: new URLSearchParams({ username: email, password }),
      });
      return heldIf(status === 200, `the owner ${status}`);
    },
  },
  {
    number: 12,
    name: "a mail scanner that follows a stranger's verification link",
    needs: ["mails"],
    attempt: async (target) => {
      const { token, email } = await newVisitor(target);
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
  },
  {
    number: 12,
    name: "a password in another form of the same letters",
    attempt: async (target) => {
      const written = "résumé Ångström by the lake";
      const { username } = await newVisitor(target, written.normalize("NFD"));
      const composed = await signIn(target, username, written.normalize("NFC"));
      const other = await signIn(target, username, written.replace("é", "e"));
      return heldIf(
        composed.status === 200 && other.status === 401,
        `composed letters ${composed.status}, other letters ${other.status}`,
      );
    },
  },
  {
    number: 12,
    name: "an account that stays after its owner has left",
    attempt: async (target) => {
      const { username, email, password, token } = await newVisitor(target);
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
  },
  {
    number: 12,
    name: "a token from before a new password",
    attempt: async (target) => {
      const { username, password, token } = await newVisitor(target);
      const other = tokenOf(await signIn(target, username, password));
      const body = { old_password: password, new_password: changedPassword };
      await ask(target, "/auth/change-password", { token, body });
      const { status } = await ask(target, "/auth/me", { token: other });
      return refusedIf(status === 401, String(status));
    },
  },
];

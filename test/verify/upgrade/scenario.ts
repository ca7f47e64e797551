import { randomBytes } from "node:crypto";
import * as z from "zod";
import type { Voice } from "../../support/spoken-words.ts";
import { read, waitFor } from "./api.ts";
import type { CallbackReceiver, Gate } from "./outside-world.ts";

/** Everything a scenario can use. */
export interface World {
  /** The address of the service, the same for all builds. */
  readonly url: string;
  /** The build that stores the data. Usernames contain it, so they stay unique. */
  readonly maker: "release" | "present";
  readonly voice: Voice;
  /** Proxies in front of the models, and in place of the mail server. */
  readonly gates: Readonly<Record<"chat" | "translation" | "transcription" | "mail", Gate>>;
  readonly callbacks: CallbackReceiver;
  /** Runs a command of an operator, such as `account`, with the build that is running. */
  readonly operate: (command: string, ...args: readonly string[]) => Promise<void>;
}

/** Data that one build stores and all builds have to serve. */
export interface Scenario {
  readonly title: string;
  /** Stores the data. @returns a check that each build has to pass, and that can run many times. */
  readonly prepare: (world: World) => Promise<Check>;
}

/** @throws Error when the data is not served as it was stored. */
export type Check = () => Promise<void>;

/** An account with its credentials. */
export interface Account {
  readonly id: number;
  readonly username: string;
  readonly email: string;
  readonly password: string;
  readonly token: string;
}

const accessToken = z.object({ access_token: z.string() });

/** Returns an access token. @param username a username or an email address. */
export const logIn = async ({ url }: World, username: string, password: string): Promise<string> => {
  const form = new URLSearchParams({ username, password });
  return (await read(accessToken, `${url}/auth/token`, { form })).access_token;
};

/** Creates an account and logs in. @param name the username, without the prefix for the build. */
export const createAccount = async (world: World, name: string, details: object = {}): Promise<Account> => {
  const username = `${world.maker}-${name}`;
  const email = `${username}@example.com`;
  const password = `seven storks ${randomBytes(6).toString("hex")}`;
  const json = { username, email, password, ...details };
  const { id } = await read(z.object({ id: z.int() }), `${world.url}/auth/register`, { json });
  return { id, username, email, password, token: await logIn(world, username, password) };
};

const mails = z.array(z.object({ to: z.array(z.string()), text: z.string() }));

/** Returns the secrets of the links to this path that were mailed to an address, newest first. */
export const mailedSecrets = async ({ url }: World, email: string, path: string): Promise<string[]> =>
  (await read(mails, `${url}/_local/mail`))
    .filter(({ to }) => to.includes(email))
    .flatMap(({ text }) => text.match(/https?:\S+/)?.[0] ?? [])
    .map((link) => new URL(link))
    .filter(({ pathname }) => pathname === path)
    .map(({ searchParams }) => searchParams.get("token") ?? "");

/** Waits for such a mail and returns the newest secret. */
export const mailedSecret = (world: World, email: string, path: string): Promise<string> =>
  waitFor(`${email} gets a mail`, async () => (await mailedSecrets(world, email, path))[0]);

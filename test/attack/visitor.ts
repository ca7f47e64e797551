import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { sendOverWire } from "../support/wire.ts";
import type { Target } from "./attack.ts";

/** A response as the client sees it. */
export interface AttackResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** From the request's first byte to the response's last. */
  readonly milliseconds: number;
}

/** What is sent. Objects go as JSON; texts, bytes and forms as they are. */
export interface Question {
  readonly method?: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | string;
}

/** An attack has succeeded if there is no response after this time. */
const maxMilliseconds = 60_000;

const bodyOf = (body: Question["body"]): RequestInit["body"] | undefined => {
  if (body === undefined) return undefined;
  if (body instanceof Uint8Array) return Uint8Array.from(body);
  if (typeof body === "string" || body instanceof URLSearchParams || body instanceof FormData) return body;
  return JSON.stringify(body);
};

/** Sends one request and waits for the whole response. @throws Error when there is none within a minute. */
export const ask = async (target: Target, path: string, question: Question = {}): Promise<AttackResponse> => {
  const body = bodyOf(question.body);
  const isJson = typeof body === "string";
  const startedAt = performance.now();
  const response = await fetch(path.startsWith("http") ? path : `${target.url}${path}`, {
    method: question.method ?? (body === undefined ? "GET" : "POST"),
    headers: {
      ...(isJson ? { "Content-Type": "application/json" } : {}),
      ...(question.token === undefined ? {} : { Authorization: `Bearer ${question.token}` }),
      ...question.headers,
    },
    ...(body === undefined ? {} : { body }),
    redirect: "manual",
    signal: AbortSignal.timeout(maxMilliseconds),
  });
  const text = await response.text();
  const milliseconds = performance.now() - startedAt;
  return { status: response.status, headers: response.headers, text, milliseconds };
};

/** The body of a response in the expected shape. @throws Error with the response when it has another shape. */
export const read = <Schema extends z.ZodType>(
  { status, text }: AttackResponse,
  schema: Schema,
): z.output<Schema> => {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new Error(`unexpected response ${status}: ${text.slice(0, 200)}`);
  }
};

/** How many responses have a status. */
export const countOf = (responses: readonly AttackResponse[], status: number): number =>
  responses.filter((response) => response.status === status).length;

/** A figure: the statuses of the responses, in order. */
export const statusesOf = (responses: readonly AttackResponse[]): string =>
  responses.map(({ status }) => status).join(" ");

/** The shortest time of several askings: what else the machine does makes single ones longer. */
export const fastest = async (
  question: () => Promise<AttackResponse>,
  times = 3,
): Promise<AttackResponse> => {
  let best = await question();
  for (let count = 1; count < times; count += 1) {
    const next = await question();
    if (next.milliseconds < best.milliseconds) best = next;
  }
  return best;
};

/** How much longer a response took than an ordinary one. */
export const ratioOf = (attacked: AttackResponse, ordinary: AttackResponse): number =>
  attacked.milliseconds / Math.max(1, ordinary.milliseconds);

/** A figure: the response, and how long it took compared with an ordinary request of the same run. */
export const comparison = (
  attacked: AttackResponse,
  ordinary: AttackResponse,
  ordinaryName: string,
): string =>
  `${attacked.status} after ${Math.round(attacked.milliseconds)} ms, ${ratioOf(attacked, ordinary).toFixed(1)} times as long as ${ordinaryName}`;

/** A person with an account. */
export interface Visitor {
  readonly username: string;
  readonly email: string;
  readonly password: string;
  readonly token: string;
}

const maxAttempts = 4;

/** Tries again after too many requests from this address: a deployed service allows sixty logins a minute. */
const askPatiently = async (target: Target, path: string, question: Question): Promise<AttackResponse> => {
  for (let attempts = 1; ; attempts += 1) {
    const response = await ask(target, path, question);
    if (response.status !== 429 || attempts === maxAttempts) return response;
    await pause(1_000 * (Number(response.headers.get("retry-after")) || 1));
  }
};

/** A registration for a new person. */
export const newRegistration = (password = "seven storks by the lake") => {
  const username = `attack-${randomBytes(6).toString("hex")}`;
  return { username, email: `${username}@example.com`, password };
};

/** Signs in. */
export const signIn = (target: Target, username: string, password: string): Promise<AttackResponse> =>
  askPatiently(target, "/auth/token", { body: new URLSearchParams({ username, password }) });

/** The token in a login's response. */
export const tokenOf = (response: AttackResponse): string =>
  read(response, z.object({ access_token: z.string() })).access_token;

/** Registers a person. */
export const register = (target: Target, registration: object): Promise<AttackResponse> =>
  askPatiently(target, "/auth/register", { body: registration });

/** Registers a person and logs them in. */
export const newVisitor = async (target: Target, password?: string): Promise<Visitor> => {
  const registration = newRegistration(password);
  const registered = await register(target, registration);
  if (registered.status !== 201) throw new Error(`the registration returned ${registered.status}`);
  return {
    ...registration,
    token: tokenOf(await signIn(target, registration.username, registration.password)),
  };
};

/** Signs in from another address of this machine. @returns the status. */
export const signInFrom = async (
  target: Target,
  localAddress: string,
  username: string,
  password: string,
): Promise<number> => {
  const { status } = await sendOverWire(target.url, {
    method: "POST",
    path: "/auth/token",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: Buffer.from(new URLSearchParams({ username, password }).toString()),
    localAddress,
  });
  return status;
};

const mails = z.array(z.object({ to: z.array(z.string()), text: z.string() }));

/** The mails sent to a person, oldest first. Waits for pending ones. */
export const mailsTo = async (
  target: Target,
  isTo: (address: string) => boolean,
): Promise<{ text: string }[]> =>
  read(await ask(target, "/_local/mail"), mails).filter(({ to }) => to.some(isTo));

/** The token in the link of a person's last mail. */
export const mailedToken = async (target: Target, email: string): Promise<string> => {
  const mail = (await mailsTo(target, (address) => address === email)).at(-1);
  const token = /[?&]token=([\w-]+)/.exec(mail?.text ?? "")?.[1];
  if (token === undefined) throw new Error("no mail with a link was sent");
  return token;
};

const usage = z.object({ today: z.object({ used: z.int(), limit: z.int().nullable() }) });

/** What a person has used of today's quota. */
export const quotaOf = async (
  target: Target,
  token: string,
): Promise<{ used: number; limit: number | null }> =>
  read(await ask(target, "/auth/usage", { token }), usage).today;

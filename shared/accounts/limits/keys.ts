import { createHash, randomBytes } from "node:crypto";
import { isIPv6 } from "node:net";
import { type AddressLimitClass, maxStreamSeconds } from "./policies.ts";
import type { Windows } from "./windows.ts";

/** Every key of this folder begins with it, so that a function can be allowed to count and to touch nothing else. */
export const limitKeyPrefix = "LIMIT#";

/** How the keys of what is kept of mails and their recipients begin. */
export const mailKeyPrefix = `${limitKeyPrefix}MAIL#`;

/** How the keys of what accounts have used on days that are over begin; permissions go by it. */
export const usageKeyPrefix = "USAGE#";

/** The eight groups of an IPv6 address. The URL parser brings every spelling of one address into the same form. */
const groupsOf = (address: string): string[] => {
  const canonical = new URL(`http://[${address.replace(/%.*$/, "")}]`).hostname.slice(1, -1);
  const [before = "", after] = canonical.split("::");
  const head = before === "" ? [] : before.split(":");
  const tail = after === undefined || after === "" ? [] : after.split(":");
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => "0");
  return [...head, ...zeros, ...tail];
};

const toIpv4 = (groups: readonly string[]): string =>
  groups
    .slice(6)
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff])
    .join(".");

/**
 * The group of source addresses that is limited as one: an IPv4 address, or the /64 network of an IPv6 address, of which
 * a single customer has 2^64 addresses to call from. An IPv4 address inside IPv6 is that IPv4 address.
 */
export const addressGroup = (sourceAddress: string): string => {
  if (!isIPv6(sourceAddress)) return sourceAddress;
  const groups = groupsOf(sourceAddress);
  const isIpv4 = groups.slice(0, 5).every((group) => group === "0") && groups[5] === "ffff";
  return isIpv4 ? toIpv4(groups) : `${groups.slice(0, 4).join(":")}::/64`;
};

const passwordPartition = (name: string): string =>
  `${limitKeyPrefix}PASSWORD#${createHash("sha256").update(name.toLowerCase()).digest("base64url")}`;

/** A group of addresses as it is kept beside a name: which one it was cannot be read from it. */
const digestOf = (name: string, sourceAddress: string): string =>
  createHash("sha256")
    .update(`${name.toLowerCase()}\n${addressGroup(sourceAddress)}`)
    .digest("base64url");

/** The key table of this folder's README, in code, but for what an account sent: that is counted in its access item. */
export const limitKeys = {
  /** C2: what an address sent in a minute, counted from 1970. */
  address: (group: string, limitClass: AddressLimitClass, minute: number) => ({
    PK: `${limitKeyPrefix}ADDRESS#${group}`,
    SK: `${limitClass}#${minute}`,
  }),
  /** C10: what an address tried without an account in a day, counted from 1970. */
  visitorAttempts: (group: string, day: number) => ({
    PK: `${limitKeyPrefix}ADDRESS#${group}`,
    SK: `visitor#${day}`,
  }),
  /**
   * C3: wrong passwords for an account name, which is matched without case. Only a digest is stored: what people type
   * into that field by mistake is at times their password.
   */
  passwordAttempts: (name: string) => ({ PK: passwordPartition(name), SK: "ATTEMPTS" }),
  /** C5: those from one group of addresses. */
  passwordAttemptsFrom: (name: string, sourceAddress: string) => ({
    PK: passwordPartition(name),
    SK: `ATTEMPTS#${digestOf(name, sourceAddress)}`,
  }),
  /** C6: that somebody has signed in with the name from a group of addresses. */
  signedInFrom: (name: string, sourceAddress: string) => ({
    PK: passwordPartition(name),
    SK: `SIGNED-IN#${digestOf(name, sourceAddress)}`,
  }),
  /** C7: wrong passwords of somebody who has a token of the account. */
  confirmations: (userId: number) => ({ PK: `${limitKeyPrefix}USER#${userId}`, SK: "PASSWORD" }),
  /** Everything that is counted of an account: C1 and C7. */
  ofAccount: (userId: number): string => `${limitKeyPrefix}USER#${userId}`,
  /** Everything that is counted of a name: C3, C5 and C6. */
  ofName: passwordPartition,
  /** C9: what an account used on a day, such as `2026-11-20`. All accounts of a month are one partition, for those who bill. */
  usage: (date: string, userId: number) => ({
    PK: limitKeys.usageOfMonth(date.slice(0, 7)),
    SK: `${userId}#${date}`,
  }),
  /** Everything that accounts have used in a month, such as `2026-11`. */
  usageOfMonth: (month: string): string => `${usageKeyPrefix}${month}`,
  /**
   * C4: mails that a recipient was sent in a day. Addresses that differ in what follows a `+` are one mailbox at most
   * providers, so they are one recipient here.
   */
  mails: (email: string) => {
    const mailbox = email.toLowerCase().replace(/\+[^@]*(?=@)/, "");
    return {
      PK: `${mailKeyPrefix}${createHash("sha256").update(mailbox).digest("base64url")}`,
      SK: "SENT",
    };
  },
  /**
   * C8: that an address gets no mails any more. Here what follows a `+` counts: otherwise who registers somebody else's
   * address with an ending that their provider refuses would end the mails to them.
   */
  withheldMail: (email: string) => ({
    PK: `${mailKeyPrefix}${createHash("sha256").update(email.toLowerCase()).digest("base64url")}`,
    SK: "WITHHELD",
  }),
};

/**
 * The counters inside an account's access item, each an attribute named by its window, so that the turn of a window needs
 * no code. Their names are short because DynamoDB charges for them.
 */
export const accountCounters = {
  minute: (minute: number) => `m${minute}`,
  day: (day: number) => `d${day}`,
  month: (month: string) => `M${month}`,
  /** Milliseconds of recordings that jobs of the month transcribe. */
  audio: (month: string) => `A${month}`,
  /** Keys that were made in a day. */
  keysCreated: (day: number) => `k${day}`,
} as const;

/** The window that a counter is of. */
export type CounterWindow =
  | { readonly kind: "minute"; readonly minute: number }
  | { readonly kind: "day"; readonly day: number }
  | { readonly kind: "month"; readonly month: string };

/** The window that an attribute counts in; `undefined` when it is no counter, or one of usage. */
export const windowOfCounter = (attribute: string): CounterWindow | undefined => {
  const { minute, day, month } =
    /^(?:m(?<minute>\d+)|[dk](?<day>\d+)|[AM](?<month>\d{4}-\d\d))$/.exec(attribute)?.groups ?? {};
  if (minute !== undefined) return { kind: "minute", minute: Number(minute) };
  if (day !== undefined) return { kind: "day", day: Number(day) };
  return month === undefined ? undefined : { kind: "month", month };
};

/**
 * The places of an account's streams: elements of the set `streams` in its access item. Each begins with the second at which
 * it is over by itself, so that one that a killed function has left behind is known by its name.
 */
export const streamSlots = {
  /** @param now milliseconds of Unix time. */
  take: (now: number): string =>
    `${Math.ceil(now / 1_000) + maxStreamSeconds}.${randomBytes(6).toString("base64url")}`,
  /** Judged by the beginning of the minute, which forgives clocks that differ: never too early, at most a minute late. */
  isOver: (slot: string, { minute }: Windows): boolean => Number.parseInt(slot, 10) <= minute * 60,
} as const;

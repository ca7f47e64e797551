import { createHash, randomBytes } from "node:crypto";
import { isIPv6 } from "node:net";
import { type AddressLimitClass, maxStreamSeconds } from "./policies.ts";
import type { Windows } from "./windows.ts";

/** The prefix of this folder's keys: permissions to count and do nothing else use it. */
export const limitKeyPrefix = "LIMIT#";

/** The prefix of the keys of mails and their recipients. */
export const mailKeyPrefix = `${limitKeyPrefix}MAIL#`;

/** The prefix of the keys of usage on past days; permissions use it. */
export const usageKeyPrefix = "USAGE#";

/** Returns the eight groups of an IPv6 address. The URL parser normalises every spelling. */
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

const isIpv4Inside = (groups: readonly string[]): boolean =>
  groups.slice(0, 5).every((group) => group === "0") && groups[5] === "ffff";

/**
 * Returns the group of source addresses that is limited as one: an IPv4 address, or the /64 network of an IPv6 address,
 * which belongs to one customer. An IPv4 address inside IPv6 counts as that IPv4 address.
 */
export const addressGroup = (sourceAddress: string): string => {
  if (!isIPv6(sourceAddress)) return sourceAddress;
  const groups = groupsOf(sourceAddress);
  return isIpv4Inside(groups) ? toIpv4(groups) : `${groups.slice(0, 4).join(":")}::/64`;
};

/** Returns the /48 network of an IPv6 address: customers can have one, with 65,536 groups. */
export const widerNetwork = (sourceAddress: string): string | undefined => {
  const groups = isIPv6(sourceAddress) ? groupsOf(sourceAddress) : [];
  return groups.length === 0 || isIpv4Inside(groups) ? undefined : `${groups.slice(0, 3).join(":")}::/48`;
};

/** Returns the network of an address, for records that must not identify a person: a /24 of IPv4, or a /48 of IPv6. */
export const shortenedAddress = (sourceAddress: string): string => {
  const wider = widerNetwork(sourceAddress);
  if (wider !== undefined) return wider;
  const [first, second, third] = addressGroup(sourceAddress).split(".");
  return third === undefined ? "" : `${first}.${second}.${third}.0/24`;
};

const passwordPartition = (name: string): string =>
  `${limitKeyPrefix}PASSWORD#${createHash("sha256").update(name.toLowerCase()).digest("base64url")}`;

/** Hashes a group of addresses together with a name, so it cannot be read from the table. */
const digestOf = (name: string, sourceAddress: string): string =>
  createHash("sha256")
    .update(`${name.toLowerCase()}\n${addressGroup(sourceAddress)}`)
    .digest("base64url");

/** The key table of this folder's README, in code. Requests of accounts are counted in their access items. */
export const limitKeys = {
  /** C2: requests of an address in a minute, counted from 1970. */
  address: (group: string, limitClass: AddressLimitClass, minute: number) => ({
    PK: `${limitKeyPrefix}ADDRESS#${group}`,
    SK: `${limitClass}#${minute}`,
  }),
  /** C10: attempts of an address without an account in a day, counted from 1970. */
  visitorAttempts: (group: string, day: number) => ({
    PK: `${limitKeyPrefix}ADDRESS#${group}`,
    SK: `visitor#${day}`,
  }),
  /**
   * C3: wrong passwords for an account name, which matches without case. Only a digest is stored: people sometimes type
   * their password into that field.
   */
  passwordAttempts: (name: string) => ({ PK: passwordPartition(name), SK: "ATTEMPTS" }),
  /** C5: wrong passwords from one group of addresses. */
  passwordAttemptsFrom: (name: string, sourceAddress: string) => ({
    PK: passwordPartition(name),
    SK: `ATTEMPTS#${digestOf(name, sourceAddress)}`,
  }),
  /** C6: a sign-in with the name from a group of addresses. */
  signedInFrom: (name: string, sourceAddress: string) => ({
    PK: passwordPartition(name),
    SK: `SIGNED-IN#${digestOf(name, sourceAddress)}`,
  }),
  /** C7: wrong passwords from a client with a token of the account. */
  confirmations: (userId: number) => ({ PK: `${limitKeyPrefix}USER#${userId}`, SK: "PASSWORD" }),
  /** C11: wrong codes of the second factor from a client with a session of the account. */
  codeConfirmations: (userId: number) => ({ PK: `${limitKeyPrefix}USER#${userId}`, SK: "CODE" }),
  /** C12: wrong codes at sign-in, after the right password. */
  codeAttempts: (userId: number) => ({ PK: `${limitKeyPrefix}USER#${userId}`, SK: "CODE#ATTEMPTS" }),
  /** C13: the same from one group of addresses. */
  codeAttemptsFrom: (userId: number, sourceAddress: string) => ({
    PK: `${limitKeyPrefix}USER#${userId}`,
    SK: `CODE#ATTEMPTS#${digestOf(String(userId), sourceAddress)}`,
  }),
  /** The partition of an account: C1, C7 and C11 to C13. */
  ofAccount: (userId: number): string => `${limitKeyPrefix}USER#${userId}`,
  /** The partition of a name: C3, C5 and C6. */
  ofName: passwordPartition,
  /** C9: usage of an account on a day, such as `2026-11-20`. All accounts of a month share a partition, for bills. */
  usage: (date: string, userId: number) => ({
    PK: limitKeys.usageOfMonth(date.slice(0, 7)),
    SK: `${userId}#${date}`,
  }),
  /** The partition of a month, such as `2026-11`. */
  usageOfMonth: (month: string): string => `${usageKeyPrefix}${month}`,
  /** C4: mails sent to a recipient in a day. Addresses that differ only after a `+` are usually one mailbox, so they count as one. */
  mails: (email: string) => {
    const mailbox = email.toLowerCase().replace(/\+[^@]*(?=@)/, "");
    return {
      PK: `${mailKeyPrefix}${createHash("sha256").update(mailbox).digest("base64url")}`,
      SK: "SENT",
    };
  },
  /**
   * C8: an address that gets no more mails. What follows a `+` counts here: otherwise, registering an address with an ending
   * that its provider refuses would block mails to its owner.
   */
  withheldMail: (email: string) => ({
    PK: `${mailKeyPrefix}${createHash("sha256").update(email.toLowerCase()).digest("base64url")}`,
    SK: "WITHHELD",
  }),
};

/**
 * The counters in an account's access item. Each attribute is named after its window, so a new window starts at 0. The names
 * are short because DynamoDB charges for them.
 */
export const accountCounters = {
  minute: (minute: number) => `m${minute}`,
  day: (day: number) => `d${day}`,
  month: (month: string) => `M${month}`,
  /** Milliseconds of recordings that jobs of the month transcribe. */
  audio: (month: string) => `A${month}`,
  /** Characters that lists, documents and recordings of the month translate. */
  characters: (month: string) => `C${month}`,
  /** Keys created in a day. */
  keysCreated: (day: number) => `k${day}`,
} as const;

/** The window of a counter. */
export type CounterWindow =
  | { readonly kind: "minute"; readonly minute: number }
  | { readonly kind: "day"; readonly day: number }
  | { readonly kind: "month"; readonly month: string };

/** Returns the window of a counter; `undefined` for usage counters and other attributes. */
export const windowOfCounter = (attribute: string): CounterWindow | undefined => {
  const { minute, day, month } =
    /^(?:m(?<minute>\d+)|[dk](?<day>\d+)|[ACM](?<month>\d{4}-\d\d))$/.exec(attribute)?.groups ?? {};
  if (minute !== undefined) return { kind: "minute", minute: Number(minute) };
  if (day !== undefined) return { kind: "day", day: Number(day) };
  return month === undefined ? undefined : { kind: "month", month };
};

/**
 * The stream slots of an account: elements of the set `streams` in its access item. Each starts with the second at which it
 * expires, in case a killed function never releases it.
 */
export const streamSlots = {
  /** @param now milliseconds of Unix time. */
  take: (now: number): string =>
    `${Math.ceil(now / 1_000) + maxStreamSeconds}.${randomBytes(6).toString("base64url")}`,
  /** Compares with the start of the minute, to tolerate clocks that differ: never too early, at most a minute late. */
  isOver: (slot: string, { minute }: Windows): boolean => Number.parseInt(slot, 10) <= minute * 60,
} as const;

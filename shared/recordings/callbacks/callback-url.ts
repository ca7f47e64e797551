import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** The assigned part of IPv6 (RFC 4291, section 2.4). Other addresses can contain one of IPv4, such as `::10.0.0.1`. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/** Whether an address is on the public internet: not private, local, link-local, for tests, or a mapping of such an address. */
export const isPublicAddress = (address: string): boolean => {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.process(address);
  return parsed.range() === "unicast" && (!(parsed instanceof ipaddr.IPv6) || parsed.match(globalUnicast));
};

const isLoopbackAddress = (address: string): boolean =>
  isIP(address) > 0 && ipaddr.process(address).range() === "loopback";

export interface CallbackRules {
  /** For development: allows `http` and this machine. Deployed stages refuse it. */
  readonly allowLoopback: boolean;
}

export const mayBeCalled = (address: string, { allowLoopback }: CallbackRules): boolean =>
  isPublicAddress(address) || (allowLoopback && isLoopbackAddress(address));

/** The host of a URL, without the brackets of IPv6. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, "$1");

export const maxCallbackUrlLength = 2_048;

/** Names that resolve to this machine or its network. */
const isLocalName = (host: string): boolean => /(?:^|\.)(?:localhost|local|internal)\.*$/i.test(host);

/**
 * Says what is wrong with a callback URL; `undefined` when it is valid. The addresses of a host name are checked later, when
 * the callback is sent.
 */
export const callbackUrlProblem = (text: string, rules: CallbackRules): string | undefined => {
  if (text.length > maxCallbackUrlLength) return `The URL is longer than ${maxCallbackUrlLength} characters.`;
  // The URL parser drops some of them, so the URL shown would not be the URL called.
  if (/[\s\p{Cc}]/u.test(text)) return "The URL must not contain spaces or control characters.";
  if (!URL.canParse(text)) return "This is not a URL. Enter one such as https://example.org/transcripts.";
  const url = new URL(text);
  const host = hostOf(url);
  const isLoopback = host === "localhost" || isLoopbackAddress(host);
  if (rules.allowLoopback && isLoopback && /^https?:$/.test(url.protocol)) return undefined;
  if (url.protocol !== "https:") return "The URL must start with https://.";
  if (url.username || url.password) return "The URL must not contain a username or password.";
  if (isLocalName(host) || (isIP(host) > 0 && !isPublicAddress(host))) {
    return "The URL is not on the public internet.";
  }
  return undefined;
};

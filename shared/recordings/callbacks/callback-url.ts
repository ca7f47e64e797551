import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** All that is assigned of IPv6 (RFC 4291, section 2.4); outside of it an address may hold one of IPv4, `::10.0.0.1`. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/** Whether an address is one of the public internet: not private, local, of a link, of a test, or a detour to one of these. */
export const isPublicAddress = (address: string): boolean => {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.process(address);
  return parsed.range() === "unicast" && (!(parsed instanceof ipaddr.IPv6) || parsed.match(globalUnicast));
};

const isLoopbackAddress = (address: string): boolean =>
  isIP(address) > 0 && ipaddr.process(address).range() === "loopback";

/** Which addresses callbacks may go to. */
export interface CallbackRules {
  /** For development: `http` and this machine as well. No deployed stage can have it. */
  readonly allowLoopback: boolean;
}

/** Whether a callback may be sent to an address of the network. */
export const mayBeCalled = (address: string, { allowLoopback }: CallbackRules): boolean =>
  isPublicAddress(address) || (allowLoopback && isLoopbackAddress(address));

/** The host of a URL as names are resolved: without the brackets of IPv6. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, "$1");

export const maxCallbackUrlLength = 2_048;

/** Names that mean this machine, or one of its network, wherever they are asked for. */
const isLocalName = (host: string): boolean => /(?:^|\.)(?:localhost|local|internal)\.*$/i.test(host);

/**
 * What is wrong with an address for callbacks, as a sentence; `undefined` when nothing is. Where a name leads is known only
 * when it is called, and is looked at then.
 */
export const callbackUrlProblem = (text: string, rules: CallbackRules): string | undefined => {
  if (text.length > maxCallbackUrlLength)
    return `The address is longer than ${maxCallbackUrlLength} characters.`;
  // A URL leaves some of them out, and what is shown would not be what is called.
  if (/[\s\p{Cc}]/u.test(text)) return "The address must not hold spaces or control characters.";
  if (!URL.canParse(text)) return "This is no address; it looks like https://example.org/transcripts.";
  const url = new URL(text);
  const host = hostOf(url);
  const isLoopback = host === "localhost" || isLoopbackAddress(host);
  if (rules.allowLoopback && isLoopback && /^https?:$/.test(url.protocol)) return undefined;
  if (url.protocol !== "https:") return "The address must begin with https://.";
  if (url.username || url.password) return "The address must not hold a user name or a password.";
  if (isLocalName(host) || (isIP(host) > 0 && !isPublicAddress(host))) {
    return "The address is not one of the public internet.";
  }
  return undefined;
};

import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import type { callbackRulesEnvironment } from "../../platform/config/environment.ts";
import type { VariableValues } from "../../platform/config/variables.ts";

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
  /** The ports of this machine where the service itself listens: what is only for this machine must not be called for others. */
  readonly ownPorts?: readonly number[] | undefined;
}

/** The rules of a stage. */
export const callbackRulesOf = ({
  CALLBACKS_ALLOW_LOOPBACK: allowLoopback,
  OWN_PORTS: ownPorts,
}: VariableValues<typeof callbackRulesEnvironment>): CallbackRules => ({ allowLoopback, ownPorts });

const isOwnPort = ({ port, protocol }: URL, { ownPorts = [] }: CallbackRules): boolean =>
  ownPorts.includes(Number(port || (protocol === "http:" ? 80 : 443)));

/** Whether an address to which the host of a URL leads may be called. */
export const mayBeCalled = (address: string, url: URL, rules: CallbackRules): boolean =>
  isPublicAddress(address) || (rules.allowLoopback && isLoopbackAddress(address) && !isOwnPort(url, rules));

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
  if (rules.allowLoopback && isLoopback && /^https?:$/.test(url.protocol)) {
    return isOwnPort(url, rules) ? "The URL is one of the service itself." : undefined;
  }
  if (url.protocol !== "https:") return "The URL must start with https://.";
  if (url.username || url.password) return "The URL must not contain a username or password.";
  if (isLocalName(host) || (isIP(host) > 0 && !isPublicAddress(host))) {
    return "The URL is not on the public internet.";
  }
  return undefined;
};

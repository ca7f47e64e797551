import { isIPv6 } from "node:net";

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

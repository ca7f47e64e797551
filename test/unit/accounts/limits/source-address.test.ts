import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressGroup, widerNetwork } from "../../../../shared/accounts/limits/keys.ts";

describe("the group that an address is limited with", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:0DB8:0001:0002:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["::FFFF:cb00:7107", "203.0.113.7"],
    ["test-invoke-source-ip", "test-invoke-source-ip"],
  ])("of %s is %s", (address, group) => {
    expect(addressGroup(address)).toBe(group);
  });

  it.each([
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"],
    ["2001:0DB8:0001:ffff::9", "2001:db8:1::/48"],
    ["203.0.113.7", undefined],
    ["::ffff:203.0.113.7", undefined],
    ["test-invoke-source-ip", undefined],
  ])("of %s is in the network %s, which has a limit of its own", (address, network) => {
    expect(widerNetwork(address)).toBe(network);
  });

  it("is one for all addresses of a /64 network, and another for every other network", () => {
    const group = fc.integer({ min: 1, max: 0xffff }).map((value) => value.toString(16));
    const four = fc.tuple(group, group, group, group);
    fc.assert(
      fc.property(four, four, four, four, (network, other, host, otherHost) => {
        const of = (...parts: string[][]) => addressGroup(parts.flat().join(":"));
        expect(of(network, host)).toBe(of(network, otherHost));
        fc.pre(network.join() !== other.join());
        expect(of(network, host)).not.toBe(of(other, host));
      }),
    );
  });
});

import { networkInterfaces } from "node:os";
import type { LocalSettings } from "./settings.ts";

/** The address on which the service listens, and the one in links. */
export interface Network {
  readonly listen: string;
  readonly address: string;
}

const loopback = "127.0.0.1";

/** Returns this machine's first IPv4 address on a network, or the loopback address when there is none. */
const ownAddress = (): string =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? loopback;

export const networkOf = ({ HOST: host }: Pick<LocalSettings, "HOST">): Network => ({
  listen: host,
  address: host === "0.0.0.0" ? ownAddress() : host,
});

/** Whether only this machine can reach the service. */
export const isPrivate = ({ listen }: Network): boolean => listen.startsWith("127.");

import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** The ports of the service's servers that people and programs talk to. */
export interface Ports {
  readonly api: number;
  readonly chatStream: number;
  readonly storage: number;
  readonly sampleInference: number;
  /** The stand-ins of the two identity providers. */
  readonly identity: readonly [number, number];
}

/**
 * Takes a port for a moment.
 *
 * @param variable names what a person may set when the port is in use
 * @returns its number, which for 0 is one that the system chose.
 */
export const choosePort = (port: number, variable: string, host = "127.0.0.1"): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error) => {
      const code = "code" in error ? error.code : undefined;
      if (code === "EADDRINUSE") {
        reject(new Error(`Port ${port} is in use; set ${variable} to another one.`));
      } else if (code === "EACCES") {
        reject(new Error(`Port ${port} is not allowed here; set ${variable} to one from 1024.`));
      } else if (code === "EADDRNOTAVAIL") {
        reject(new Error(`${host} is no address of this machine; set HOST to one, or to 0.0.0.0 for all.`));
      } else reject(error);
    });
    probe.listen(port, host, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address ? address.port : port));
    });
  });

const maxPortAttempts = 20;

/**
 * A free port below those that systems give to connections by themselves: it is bound only when the templates are made, and one
 * that the system had chosen would be given to somebody else by then, now and then.
 */
const chooseFreePort = async (host: string): Promise<number> => {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await choosePort(randomInt(20_000, 32_000), "PORT", host);
    } catch (error) {
      if (attempts === maxPortAttempts) throw error;
    }
  }
};

/**
 * Six ports in a row. For port 0 only the API's is chosen here, because the template that is synthesised names its
 * address; the others are left to the system.
 *
 * @throws Error with a sentence when one of them is in use.
 */
export const choosePorts = async (port: number, host: string): Promise<Ports> => {
  if (port === 0) {
    const api = await chooseFreePort(host);
    return { api, chatStream: 0, storage: 0, sampleInference: 0, identity: [0, 0] };
  }
  const api = await choosePort(port, "PORT", host);
  const [chatStream = 0, storage = 0, sampleInference = 0, first = 0, second = 0] = await Promise.all(
    [1, 2, 3, 4, 5].map((distance) => choosePort(port + distance, "PORT", host)),
  );
  return { api, chatStream, storage, sampleInference, identity: [first, second] };
};

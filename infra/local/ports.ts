import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** The ports of the service's servers. */
export interface Ports {
  readonly api: number;
  readonly chatStream: number;
  readonly storage: number;
  readonly sampleInference: number;
  /** The stand-ins of the two identity providers. */
  readonly identity: readonly [number, number];
}

/**
 * Checks that a port is free.
 *
 * @param variable the setting that the error names
 * @returns its number, which the system chooses for 0.
 */
export const choosePort = (port: number, variable: string, host = "127.0.0.1"): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error) => {
      const code = "code" in error ? error.code : undefined;
      if (code === "EADDRINUSE") {
        reject(new Error(`Port ${port} is in use. Set ${variable} to another port.`));
      } else if (code === "EACCES") {
        reject(new Error(`Port ${port} is not allowed here. Set ${variable} to 1024 or more.`));
      } else if (code === "EADDRNOTAVAIL") {
        reject(
          new Error(`${host} is not an address of this machine. Set HOST to one, or to 0.0.0.0 for all.`),
        );
      } else reject(error);
    });
    probe.listen(port, host, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address ? address.port : port));
    });
  });

const maxAttempts = 20;

/**
 * Returns a free port below those that systems assign to connections. The service binds it after it has written the templates,
 * and until then the system might assign a port of its own choice to another process.
 */
const chooseFreePort = async (host: string): Promise<number> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await choosePort(randomInt(20_000, 32_000), "PORT", host);
    } catch (error) {
      if (attempt === maxAttempts) throw error;
    }
  }
};

/** What the ports after the API's are for, in their order. */
const neighbours = [
  "the chat stream",
  "the storage",
  "the sample models",
  "the first identity provider",
  "the second identity provider",
];

const isFree = (port: number, host: string): Promise<boolean> =>
  choosePort(port, "PORT", host).then(
    () => true,
    () => false,
  );

/** The next port that is free together with the five after it; `undefined` when there are none near. */
const findFreeRow = async (port: number, host: string): Promise<number | undefined> => {
  for (let first = port + 10; first < port + 1_000 && first <= 65_000; first += 10) {
    const row = [first, ...neighbours.map((_, index) => first + index + 1)];
    const free = await Promise.all(row.map((each) => isFree(each, host)));
    if (free.every(Boolean)) return first;
  }
  return undefined;
};

/** Checks the port of a neighbour. @throws Error that says what the port is for, and which `PORT` works. */
const chooseNeighbour = async (port: number, host: string, index: number): Promise<number> => {
  const neighbour = port + index + 1;
  if (await isFree(neighbour, host)) return neighbour;
  const other = await findFreeRow(port, host);
  throw new Error(
    `Port ${neighbour}, for ${neighbours[index]}, is in use. With PORT=${port} the service needs ${port} to ${port + neighbours.length}. ` +
      (other === undefined
        ? "Set PORT to another port."
        : `Start it with PORT=${other}, where all six are free.`),
  );
};

/**
 * Returns six ports in a row. For port 0 it only chooses the API's, because the templates contain its address; the system chooses
 * the others.
 *
 * @throws Error when one of them is in use.
 */
export const choosePorts = async (port: number, host: string): Promise<Ports> => {
  if (port === 0) {
    const api = await chooseFreePort(host);
    return { api, chatStream: 0, storage: 0, sampleInference: 0, identity: [0, 0] };
  }
  const api = await choosePort(port, "PORT", host);
  const [chatStream = 0, storage = 0, sampleInference = 0, first = 0, second = 0] = await Promise.all(
    neighbours.map((_, index) => chooseNeighbour(port, host, index)),
  );
  return { api, chatStream, storage, sampleInference, identity: [first, second] };
};

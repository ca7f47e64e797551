import { createServer } from "node:net";

/** The ports of the service's servers that people and programs talk to. */
export interface Ports {
  readonly api: number;
  readonly chatStream: number;
  readonly storage: number;
  readonly sampleInference: number;
}

/**
 * Takes a port for a moment.
 *
 * @param variable names what a person may set when the port is in use
 * @returns its number, which for 0 is one that the system chose.
 */
export const choosePort = (port: number, variable: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error) => {
      const isTaken = "code" in error && error.code === "EADDRINUSE";
      reject(isTaken ? new Error(`Port ${port} is in use; set ${variable} to another one.`) : error);
    });
    probe.listen(port, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address ? address.port : port));
    });
  });

/**
 * Four ports in a row. For port 0 only the API's is chosen here, because the template that is synthesised names its
 * address; the others are left to the system.
 *
 * @throws Error with a sentence when one of them is in use.
 */
export const choosePorts = async (port: number): Promise<Ports> => {
  const api = await choosePort(port, "PORT");
  if (port === 0) return { api, chatStream: 0, storage: 0, sampleInference: 0 };
  const [chatStream = 0, storage = 0, sampleInference = 0] = await Promise.all(
    [port + 1, port + 2, port + 3].map((next) => choosePort(next, "PORT")),
  );
  return { api, chatStream, storage, sampleInference };
};

import { createServer } from "node:net";

/** The ports of the service's servers that people and programs talk to. */
export interface Ports {
  readonly api: number;
  readonly chatStream: number;
  readonly storage: number;
  readonly sampleInference: number;
}

/** Takes a port for a moment. @returns its number, which for 0 is one that the system chose. */
const tryPort = (port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error) => {
      const isTaken = "code" in error && error.code === "EADDRINUSE";
      reject(isTaken ? new Error(`Port ${port} is in use; set PORT to another one.`) : error);
    });
    probe.listen(port, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address ? address.port : port));
    });
  });

/**
 * Four ports in a row, or four free ones for port 0. They are chosen before anything starts, because the template
 * that is synthesised names the API's address.
 *
 * @throws Error with a sentence when one of them is in use.
 */
export const choosePorts = async (port: number): Promise<Ports> => {
  const offset = (distance: number) => tryPort(port === 0 ? 0 : port + distance);
  const api = await offset(0);
  const [chatStream, storage, sampleInference] = await Promise.all([offset(1), offset(2), offset(3)]);
  return { api, chatStream, storage, sampleInference };
};

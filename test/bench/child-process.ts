/** For benchmark processes: this file loads nothing that would add to their memory. */
import type { Server } from "node:net";

/** Lets a server listen on the loopback interface, at a port that the system chooses. @returns its address. */
export const listen = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) =>
    server.listen({ port: 0, host: "127.0.0.1", backlog: 1_024 }, resolve),
  );
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return `http://127.0.0.1:${address.port}`;
};

/** A message to a process; its other fields depend on the kind. */
export interface Question {
  readonly kind: string;
}

const isQuestion = (message: unknown): message is Question =>
  typeof message === "object" && message !== null && "kind" in message && typeof message.kind === "string";

/** Sends the parent process this process's address, responds to each of its messages, and ends with it. */
export const serveParent = (
  url: string,
  respond: (question: Question) => unknown = () => undefined,
): void => {
  process.on("message", (message) => {
    void (async () => {
      try {
        if (!isQuestion(message)) throw new Error("A benchmark process needs a message with a kind.");
        process.send?.({ result: (await respond(message)) ?? null });
      } catch (error) {
        process.send?.({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
      }
    })();
  });
  process.on("disconnect", () => process.exit());
  process.send?.({ url });
};

/** What this process has used since its start, and the memory it holds now. */
export const resourceUse = () => {
  const { user, system } = process.cpuUsage();
  return { cpuMicroseconds: user + system, residentBytes: process.memoryUsage.rss() };
};

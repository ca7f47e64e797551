/** For the processes of benchmarks: nothing is loaded here that would stand in their memory. */
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

/** What a process is asked; what else it holds depends on the kind. */
export interface Question {
  readonly kind: string;
}

const isQuestion = (message: unknown): message is Question =>
  typeof message === "object" && message !== null && "kind" in message && typeof message.kind === "string";

/** Tells the process that started this one its address, answers each of its messages, and ends with it. */
export const answerParent = (
  url: string,
  answer: (question: Question) => unknown = () => undefined,
): void => {
  process.on("message", (message) => {
    void (async () => {
      try {
        if (!isQuestion(message)) throw new Error("A process of a benchmark is asked something of a kind.");
        process.send?.({ answer: (await answer(message)) ?? null });
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

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import * as z from "zod";

const resourceUse = z.object({ cpuMicroseconds: z.number(), residentBytes: z.number() });

/** What a process has used since its start, and the memory it holds now. */
export type ResourceUse = z.infer<typeof resourceUse>;

/** Answers every message from the parent with what this process has used, and ends with the parent. */
export const reportResourceUse = (): void => {
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send?.({
      cpuMicroseconds: user + system,
      residentBytes: process.memoryUsage.rss(),
    } satisfies ResourceUse);
  });
  process.on("disconnect", () => process.exit());
};

/** Asks a process that reports. */
export const askResourceUse = async (child: ChildProcess): Promise<ResourceUse> => {
  const answered = once(child, "message");
  child.send("report");
  return resourceUse.parse((await answered)[0]);
};

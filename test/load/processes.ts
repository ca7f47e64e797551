import { execFileSync } from "node:child_process";
import { readdirSync, readlinkSync } from "node:fs";

/** A process and what it holds. */
export interface ProcessSample {
  readonly id: number;
  readonly megabytes: number;
}

/** A process and everything it has started, the process itself first. */
export const processFamily = (root: number): ProcessSample[] => {
  const rows = execFileSync("ps", ["-eo", "pid=,ppid=,rss="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((row) => row.trim().split(/\s+/).map(Number));
  const family = new Set([root]);
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const [id = 0, parent = 0] of rows) if (family.has(parent)) family.add(id);
  }
  return rows
    .filter(([id = 0]) => family.has(id))
    .map(([id = 0, , kilobytes = 0]) => ({ id, megabytes: kilobytes / 1_024 }))
    .toSorted((one, other) => Number(other.id === root) - Number(one.id === root));
};

/** A figure of all processes of a family together. */
export const ofFamily = (root: number, figureOf: (id: number) => number | undefined): number =>
  processFamily(root).reduce((sum, { id }) => sum + (figureOf(id) ?? 0), 0);

/** How many sockets a process holds; `undefined` where the system does not tell. */
export const socketsOf = (id: number): number | undefined => {
  const folder = `/proc/${id}/fd`;
  const targetOf = (name: string): string => {
    try {
      return readlinkSync(`${folder}/${name}`);
    } catch {
      // Closed since the folder was read.
      return "";
    }
  };
  try {
    return readdirSync(folder).filter((name) => targetOf(name).startsWith("socket:")).length;
  } catch {
    return undefined;
  }
};

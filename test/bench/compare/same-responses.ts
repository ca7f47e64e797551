import { isDeepStrictEqual } from "node:util";
import { ask, type BenchProcess } from "../processes.ts";
import { type LoadCommand, readResult } from "./load.ts";
import type { LoadTarget } from "./load-client.ts";
import { shortStream } from "./plan.ts";

/**
 * Compares what a gateway returns with what the model's server returns, field by field and token by token, for a whole response
 * and for a stream. A gateway that does less work must not win.
 *
 * @throws Error when they differ.
 */
export const returnTheSame = async (
  load: BenchProcess,
  direct: LoadTarget,
  target: LoadTarget,
): Promise<void> => {
  const read = (from: LoadTarget) => {
    const command: LoadCommand = { kind: "read", target: from, reply: shortStream };
    return ask(load, command, readResult);
  };
  const [expected, said] = [await read(direct), await read(target)];
  for (const part of ["whole", "stream"] as const) {
    if (isDeepStrictEqual(said[part], expected[part])) continue;
    throw new Error(
      `${target.name} says something else than the model: ${JSON.stringify(said[part])} instead of ${JSON.stringify(expected[part])}.`,
    );
  }
};

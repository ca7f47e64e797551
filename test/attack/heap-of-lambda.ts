// Loaded into the service of an earlier release: its functions get the heap that Lambda would give them, not all of their memory.
import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import { heapOptions } from "@language-ai/aws-stand-ins";

const { spawn } = childProcess;

const asLambda = (args: readonly string[]): string[] => {
  if (args.some((each) => each.startsWith("--max-semi-space-size="))) return [...args];
  return args.flatMap((each) => {
    const megabytes = /^--max-old-space-size=(\d+)$/.exec(each)?.[1];
    return megabytes === undefined ? [each] : heapOptions(Number(megabytes));
  });
};

Object.assign(childProcess, {
  spawn: (command: string, args: readonly string[], options: Parameters<typeof spawn>[2]) =>
    spawn(command, asLambda(args), options),
});
syncBuiltinESMExports();

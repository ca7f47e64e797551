import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";

/** Imported by the process of a service, before its own modules: lets a test put the clocks of its functions ahead. */
const laterClock = new URL("./later-clock.mjs", import.meta.url).href;
const spawn: (...args: Parameters<typeof childProcess.spawn>) => ReturnType<typeof childProcess.spawn> =
  childProcess.spawn;

const isFunction = (args: readonly string[]): boolean => args.some((arg) => arg.endsWith("bootstrap.mjs"));

Object.assign(childProcess, {
  spawn: (program: string, args: readonly string[], options: childProcess.SpawnOptions) => {
    if (!isFunction(args)) return spawn(program, args, options);
    const env = { ...options.env, CLOCK_AHEAD_FILE: process.env["CLOCK_AHEAD_FILE"] };
    return spawn(program, ["--import", laterClock, ...args], { ...options, env });
  },
});
syncBuiltinESMExports();

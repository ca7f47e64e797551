// Loaded into a process before its own code: ends it, the way an operator would, when whoever started it is gone. Its
// standard input is a pipe from there, and a pipe ends with the process that holds its other end, however that ended.
import { isMainThread } from "node:worker_threads";

if (isMainThread) {
  process.stdin.on("end", () => process.kill(process.pid, "SIGTERM")).resume();
  // To wait for it must not keep a process that is done. The type is that of a file, which needs no such thing.
  if ("unref" in process.stdin && typeof process.stdin.unref === "function") process.stdin.unref();
}

// Loaded into a process before its own code: ends it, as an operator would, when its parent is gone. Its standard
// input is a pipe from the parent, which ends with the parent, however that ended.
import { isMainThread } from "node:worker_threads";

if (isMainThread) {
  process.stdin.on("end", () => process.kill(process.pid, "SIGTERM")).resume();
  // To wait for it must not keep a process that is done. The type is that of a file, which needs no such thing.
  if ("unref" in process.stdin && typeof process.stdin.unref === "function") process.stdin.unref();
}

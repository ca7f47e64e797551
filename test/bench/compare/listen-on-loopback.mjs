/** Loaded before a program that would listen at every address of this machine: it listens at 127.0.0.1. */
import { Server } from "node:net";

const { listen } = Server.prototype;
Server.prototype.listen = function (...args) {
  const [first] = args;
  if (typeof first === "number") args.splice(1, typeof args[1] === "string" ? 1 : 0, "127.0.0.1");
  else if (typeof first === "object" && first !== null && "port" in first) first.host = "127.0.0.1";
  return listen.apply(this, args);
};

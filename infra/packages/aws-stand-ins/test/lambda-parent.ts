// Run as a process of its own: starts two environments, one idle and one busy, says which, and waits to be ended.
import { LambdaService } from "../src/lambda/lambda-service.ts";

const [directory = ""] = process.argv.slice(2);
const limits = { timeoutSeconds: 60, memoryMegabytes: 128, environment: {} };
const service = new LambdaService({
  functions: ["idle", "busy"].map((name) => ({ name, directory, handler: `index.${name}`, ...limits })),
  log: (_functionName, line) => process.stdout.write(`${line}\n`),
});
await service.invoke("idle", {});
await service.invoke("busy", {});

// Runs in a process of its own: starts the service, reports when it is ready, and waits to be ended.
import { runService } from "../../support/run-service.ts";

const [dataDirectory = ""] = process.argv.slice(2);
const { url } = await runService({ PORT: "0", DATA_DIR: dataDirectory });
await fetch(`${url}/health`);
process.stdout.write("ready\n");

// Runs in a process of its own: starts the service, reports when it has started and when it is ready, and waits to be
// ended.
import { runService } from "../../support/run-service.ts";

const [dataDirectory = ""] = process.argv.slice(2);
const starting = runService({ PORT: "0", DATA_DIR: dataDirectory });
process.stdout.write("begun\n");
const { url } = await starting;
await fetch(`${url}/health`);
process.stdout.write("ready\n");

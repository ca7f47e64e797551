import { startS3 } from "../src/s3/s3-server.ts";
import { bucket, credentials, region } from "./s3-fixture.ts";

/** A server in a process of its own, which can be killed and whose memory can be measured. */
const [dataDirectory = ""] = process.argv.slice(2);
const server = await startS3({ dataDirectory, credentials, region });
await server.ensureBucket(bucket, {});
process.on("message", () => process.send?.({ peakMemory: process.resourceUsage().maxRSS * 1024 }));
process.on("disconnect", () => process.exit());
process.send?.({ endpoint: server.endpoint });

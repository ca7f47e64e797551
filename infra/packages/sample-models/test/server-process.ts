import { startSampleInference } from "../src/index.ts";

/** A sample server in a process of its own, whose memory can be measured. */
const server = await startSampleInference();
process.on("message", () => process.send?.({ peakMemory: process.resourceUsage().maxRSS * 1024 }));
process.on("disconnect", () => process.exit());
process.send?.({ baseUrl: server.baseUrl });

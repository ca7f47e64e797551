import * as z from "zod";
import { readOptions } from "../../infra/command-line.ts";
import { fuzzAudio } from "./audio.ts";
import { fuzzService } from "./service.ts";

const usage = `Usage: npm run fuzz [-- --seconds 60] [--requests 100000] [--seed NUMBER]

Reads damaged audio files for some seconds, then sends requests to every route, until the first wrong result. 0 leaves a part out.`;

const amount = z.coerce.number().int().min(0);
const { seconds, requests, seed } = z.object({ seconds: amount, requests: amount, seed: amount }).parse(
  readOptions(usage, {
    seconds: { type: "string", default: "60" },
    requests: { type: "string", default: "100000" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
  }),
);

process.stdout.write(`seed ${seed}\n`);
if (seconds > 0) await fuzzAudio(seconds, seed);
if (requests > 0) await fuzzService(requests, seed);

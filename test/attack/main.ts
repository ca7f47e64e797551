import { readOptions } from "../../infra/commands/command-line.ts";
import { allAttacks } from "./all-attacks.ts";
import { attackRunningService, startAttackedService } from "./attacked-service.ts";
import { runAttacks } from "./run-attacks.ts";

/**
 * Attacks a service in all the ways that have worked once, says of each whether it was refused or the service held, and
 * fails when one succeeds.
 *
 *     npm run attack                                   a service of its own
 *     BASE_URL=http://127.0.0.1:3000 npm run attack    one that runs already
 *     npm run attack -- --only 6 --quick               one number; without what takes long
 */
const usage = `Usage: npm run attack [-- --only NUMBER] [--quick]

Attacks a service of its own, or the one at BASE_URL, in all ways that have worked once. --quick leaves out the long ones.`;

const values = readOptions(usage, {
  only: { type: "string" },
  quick: { type: "boolean", default: false },
});

const chosen = allAttacks.filter(
  ({ number, isLong = false }) =>
    (values.only === undefined || Number(values.only) === number) && !(values.quick && isLong),
);

const say = (text: string): boolean => process.stdout.write(`${text}\n`);

const baseUrl = process.env["BASE_URL"];
const service = await (baseUrl ? attackRunningService(baseUrl) : startAttackedService());
try {
  const { withstood, leftOut, succeeded } = await runAttacks(chosen, service.target, say);
  say(`${chosen.length} attacks: ${withstood} refused or held, ${leftOut} left out, ${succeeded} succeeded.`);
  if (succeeded > 0 || chosen.length === 0) process.exitCode = 1;
} finally {
  await service.stop();
}

import { readOptions } from "../../infra/command-line.ts";
import { allAttacks } from "./all-attacks.ts";
import { attackRunningService, startAttackedService } from "./attacked-service.ts";
import { attackCheckout } from "./checkout.ts";
import { runAttacks } from "./run-attacks.ts";

/**
 * Attacks a service in all the ways that have worked once, says of each whether it was refused or the service held, and
 * fails when one succeeds.
 *
 *     npm run attack                                   a service of its own
 *     BASE_URL=http://127.0.0.1:3000 npm run attack    one that runs already
 *     npm run attack -- --only 6 --quick               one number; without what takes long
 *     npm run attack -- --checkout ../2.8.1            every service of the run from the folder of another release
 */
const usage = `Usage: npm run attack [-- --only NUMBER] [--quick] [--checkout FOLDER]

Attacks a service of its own, or the one at BASE_URL, in all ways that have worked once. --quick leaves out the long ones. --checkout
runs every service from the folder of another release, which has its packages installed.`;

const values = readOptions(usage, {
  only: { type: "string" },
  quick: { type: "boolean", default: false },
  checkout: { type: "string" },
});

const chosen = allAttacks.filter(
  ({ number, isLong = false }) =>
    (values.only === undefined || Number(values.only) === number) && !(values.quick && isLong),
);

const say = (text: string): boolean => process.stdout.write(`${text}\n`);

if (values.checkout !== undefined) attackCheckout(values.checkout);
const baseUrl = process.env["BASE_URL"];
const service = await (baseUrl ? attackRunningService(baseUrl) : startAttackedService());
try {
  const { withstood, leftOut, succeeded } = await runAttacks(chosen, service.target, say);
  say(`${chosen.length} attacks: ${withstood} refused or held, ${leftOut} left out, ${succeeded} succeeded.`);
  if (succeeded > 0 || chosen.length === 0) process.exitCode = 1;
} finally {
  await service.stop();
}

/**
 * `npm run audit`: whether a package that goes into the functions has a known vulnerability, as far as the registry in use
 * can tell. Ends with 1 when one has.
 */
import { spawnSync } from "node:child_process";
import lockFile from "../../package-lock.json" with { type: "json" };
import { productionPackages } from "./production-packages.ts";
import { readAudit } from "./read-audit.ts";

const { stdout } = spawnSync("npm", ["audit", "--omit=dev", "--json"], {
  encoding: "utf8",
  // Windows has npm as a script, which only a shell starts.
  shell: process.platform === "win32",
  timeout: 60_000,
});
const audit = readAudit(stdout, productionPackages(lockFile));
if (audit.kind === "vulnerable") {
  process.stdout.write(`Known vulnerabilities:\n${audit.packages.join("\n")}\n`);
  process.exitCode = 1;
} else {
  process.stdout.write(
    audit.kind === "clean"
      ? "No package of the functions has a known vulnerability.\n"
      : `The registry keeps no advisories (${audit.reason}): vulnerabilities were NOT checked.\n`,
  );
}

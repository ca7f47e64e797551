import { join } from "node:path";
import { withLocalService } from "./local-service.ts";
import { type Part, verdictOf } from "./run-parts.ts";
import { pinnedVersion, pythonTool, runToEnd } from "./tools.ts";

/** Codes that another program computes, sent to the local service. */
export const secondFactorPart: Part = {
  name: "pyotp: codes of the second factor",
  paths: ["shared/accounts/second-factor", "shared/accounts/sign-in", "functions/auth"],
  run: async () => {
    const python = await pythonTool("python");
    const script = join(import.meta.dirname, "second-factor.py");
    const limits = { LIMIT_ANONYMOUS_PER_MINUTE: "1000", LIMIT_CREDENTIALS_PER_MINUTE: "1000" };
    return withLocalService(async ({ url }) => {
      const { code, output } = await runToEnd(python, [script, url]);
      const findings = output.split("\n").filter((line) => line.trim() !== "");
      if (code !== 0) findings.push(`It ended with ${code}.`);
      const said = `the codes of ${await pinnedVersion("pyotp")} are accepted once and within a step, and a recovery code once`;
      return verdictOf(findings, said);
    }, limits);
  },
};

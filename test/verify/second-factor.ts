import { join } from "node:path";
import { withTemporaryDirectory } from "../infra/synthesized-service.ts";
import { runService } from "../support/run-service.ts";
import type { Part, Verdict } from "./run-parts.ts";
import { pinnedVersion, pythonTool, runToEnd } from "./tools.ts";

/** Codes that another program computes, sent to the local service. */
export const secondFactorPart: Part = {
  name: "pyotp: codes of the second factor",
  run: async () => {
    const python = await pythonTool("python");
    return withTemporaryDirectory(async (directory): Promise<Verdict> => {
      const service = await runService({
        PORT: "0",
        DATA_DIR: directory,
        LIMIT_ANONYMOUS_PER_MINUTE: "1000",
        LIMIT_CREDENTIALS_PER_MINUTE: "1000",
      });
      try {
        const script = join(import.meta.dirname, "second-factor.py");
        const { code, output } = await runToEnd(python, [script, service.url]);
        const findings = output.split("\n").filter((line) => line.trim() !== "");
        if (code !== 0 || findings.length > 0) return { kind: "failed", findings };
        const version = await pinnedVersion("pyotp");
        return {
          kind: "passed",
          said: `the codes of ${version} are accepted once and within a step, and a recovery code once`,
        };
      } finally {
        await service.stop();
      }
    });
  },
};

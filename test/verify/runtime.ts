import { type Part, ToolMissing } from "./run-parts.ts";
import { runToEnd } from "./tools.ts";

/** Whether the local Lambda runtime behaves as the one that AWS publishes. */
export const runtimePart: Part = {
  name: "Lambda's runtime: ours and the one that AWS publishes",
  paths: ["infra/packages/aws-stand-ins/src/lambda", "test/runtime"],
  run: async () => {
    const { code, output } = await runToEnd(process.execPath, ["test/runtime/compare-runtimes.ts"]);
    const lines = output.trim().split("\n");
    if (code === 2) throw new ToolMissing(lines.at(-1));
    return code === 0
      ? { kind: "passed", said: lines.at(-1) ?? "" }
      : { kind: "failed", findings: lines.filter((line) => !line.startsWith("same")) };
  },
};

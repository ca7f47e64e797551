import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { type Evaluation, evaluationSchema } from "./evaluation.ts";

/** The evaluations of stages that have one, by the stage's name. */
export type AllEvaluations = Readonly<Record<string, Evaluation>>;

/** The folder with a folder for each stage that has files of its own. */
const stagesFolder = join(import.meta.dirname, "../../../infra/stages");

const parseEvaluation = (file: string): Evaluation => {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Error(`${file} is not JSON.`, { cause: error });
  }
  const result = evaluationSchema.safeParse(content);
  if (result.success) return result.data;
  throw new Error(`${file} is not a file that npm run evaluate writes:\n${z.prettifyError(result.error)}`);
};

/** Reads `<stage>/evaluation.json` of all stages. @throws Error that names the file with a mistake. */
export const readEvaluations = (stages = stagesFolder): AllEvaluations =>
  Object.fromEntries(
    readdirSync(stages, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => [name, join(stages, name, "evaluation.json")] as const)
      .filter(([, file]) => existsSync(file))
      .map(([name, file]) => [name, parseEvaluation(file)]),
  );

import { type AllEvaluations, readEvaluations } from "./read-evaluations.ts";

/** The evaluations of all stages. `infra/bundling/guides.ts` reads them at build time. */
export const evaluations: AllEvaluations = readEvaluations();

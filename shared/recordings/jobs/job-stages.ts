import type { JobStage, TranscriptTarget } from "./target.ts";

/** What a job stores about its targets. */
interface Staged {
  readonly targets: readonly TranscriptTarget[];
  readonly stages: readonly JobStage[];
  readonly assembled_stages: number;
}

/** The languages of some targets, each once. */
export const languagesOf = (targets: readonly TranscriptTarget[]): string[] => [
  ...new Set(targets.map(({ language }) => language)),
];

/** Returns the stage to which a piece belongs; `undefined` for the transcription. */
export const stageOf = ({ stages }: Pick<Staged, "stages">, index: number): JobStage | undefined =>
  stages.findLast(({ from }) => index >= from);

const languagesIn = (stages: readonly JobStage[], kind: JobStage["kind"]): ReadonlySet<string> =>
  new Set(stages.filter((stage) => stage.kind === kind).flatMap(({ languages }) => languages));

/** Returns what a job must do once its current stage is done; `undefined` when all targets are. */
export const nextStage = ({
  targets,
  stages,
}: Pick<Staged, "stages" | "targets">): Omit<JobStage, "from"> | undefined => {
  const missingIn = (kind: JobStage["kind"], languages: readonly string[]): string[] => {
    const found = languagesIn(stages, kind);
    return languages.filter((language) => !found.has(language));
  };
  const translate = missingIn("translate", languagesOf(targets));
  if (translate.length > 0) return { kind: "translate", languages: translate };
  const speak = missingIn("speak", languagesOf(targets.filter(({ format }) => format === "audio")));
  return speak.length > 0 ? { kind: "speak", languages: speak } : undefined;
};

/** Whether a target can be read. */
export const isReady = (job: Staged, { language, format }: TranscriptTarget): boolean =>
  languagesIn(job.stages.slice(0, job.assembled_stages), format === "audio" ? "speak" : "translate").has(
    language,
  );

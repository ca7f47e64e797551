import type { Operation } from "../../shared/http/operation.ts";
import { languagesOperation } from "../docs/contract.ts";
import { createJobOperation, getJobOperation, getJobResultOperation } from "../jobs/contract.ts";
import { classifyOperation } from "../language/contract.ts";
import { synthesizeOperation } from "../speech/contract.ts";
import { voicesOperation } from "../speech/voices-contract.ts";
import { agentTranscriptionOperation, detectSpokenLanguageOperation } from "../transcription/contract.ts";
import { translateBatchOperation, translateOperation } from "../translate/contract.ts";

/** A tool: an operation as agents see it. Its schemas are those of the operation. */
export interface ToolDefinition {
  readonly name: ToolName;
  /** For people. */
  readonly title: string;
  /** For models: what the tool does and when to use it. */
  readonly description: string;
  readonly operation: Operation;
  /** Fields of the body that have one value here. Agents do not see them. */
  readonly fixed?: Readonly<Record<string, unknown>>;
  /** Fields of the request that cannot be sent as JSON. */
  readonly omitted?: readonly string[];
  /** Arguments that are not fields of the operation, as JSON Schema. */
  readonly added?: Readonly<Record<string, object>>;
  /** An operation whose result a field of the tool's own result has. */
  readonly resultOf?: { readonly operation: Operation; readonly field: string; readonly description: string };
  /** Whether it changes nothing, apart from what is counted. */
  readonly isReadOnly: boolean;
}

export type ToolName =
  | "translate"
  | "translate_many"
  | "detect_language"
  | "transcribe"
  | "detect_spoken_language"
  | "speak"
  | "list_languages"
  | "list_voices"
  | "start_transcription_job"
  | "get_job";

const uploading =
  "Files are uploaded over HTTP: POST /tasks/generate-upload-url returns `upload_url`, which takes a PUT of the file, and `file_id`.";

/** What tools have that work on a recording: agents cannot send it with the request. */
const uploaded = {
  omitted: ["audio"],
  added: {
    url: {
      type: "string",
      format: "uri",
      description: "In place of `file_id`: the `upload_url` to which the recording was uploaded",
    },
  },
} as const;

/** All tools, in the order in which clients list them. */
export const toolDefinitions: readonly ToolDefinition[] = [
  {
    name: "translate",
    title: "Translate a text",
    description:
      "Translates a text between English and African languages, mostly of Uganda and East Africa. `list_languages` has the languages.",
    operation: translateOperation,
    isReadOnly: true,
  },
  {
    name: "translate_many",
    title: "Translate several texts",
    description: "Translates up to 50 texts at once. Each has a result of its own, in their order.",
    operation: translateBatchOperation,
    isReadOnly: true,
  },
  {
    name: "detect_language",
    title: "Detect the language of a text",
    description:
      "Detects which of six Ugandan languages a text of 3 to 200 characters is in, or that it could not be detected.",
    operation: classifyOperation,
    isReadOnly: true,
  },
  {
    name: "transcribe",
    title: "Transcribe a recording",
    description: `Transcribes an uploaded recording of up to 100 MB and a few minutes, in its \`language\` or in that of \`languages\` which it is in; \`start_transcription_job\` is for longer ones. ${uploading}`,
    operation: agentTranscriptionOperation,
    ...uploaded,
    isReadOnly: true,
  },
  {
    name: "detect_spoken_language",
    title: "Detect the language of a recording",
    description: `Detects which of \`languages\` an uploaded recording is in, or \`unknown\`, by its first 30 seconds. ${uploading}`,
    operation: detectSpokenLanguageOperation,
    ...uploaded,
    isReadOnly: true,
  },
  {
    name: "speak",
    title: "Turn a text into speech",
    description:
      "Speaks a text. Returns a link to the audio, and the audio itself up to 200 kB: about half a minute with `audio_format` `mp3`, a minute " +
      "with `opus`, four seconds with `wav`.",
    operation: synthesizeOperation,
    fixed: { response_mode: "url" },
    isReadOnly: false,
  },
  {
    name: "list_languages",
    title: "List languages",
    description: "Lists all languages with their codes, other names, tasks and voices.",
    operation: languagesOperation,
    isReadOnly: true,
  },
  {
    name: "list_voices",
    title: "List voices",
    description: "Lists the voices for `speak`, of all languages or one.",
    operation: voicesOperation,
    isReadOnly: true,
  },
  {
    name: "start_transcription_job",
    title: "Start the transcription of a long recording",
    description: `Starts a job that transcribes an uploaded recording of up to 500 MB, and translates the transcript into \`targets\`. \`get_job\` shows its progress and result. ${uploading}`,
    operation: createJobOperation,
    fixed: { type: "transcription" },
    isReadOnly: false,
  },
  {
    name: "get_job",
    title: "Get a job",
    description: "Shows a job and its progress, and the transcript once `has_transcript` is true.",
    operation: getJobOperation,
    added: {
      with_transcript: {
        type: "boolean",
        default: false,
        description: "Whether to add the transcript of a recording, if it is complete",
      },
    },
    resultOf: {
      operation: getJobResultOperation,
      field: "transcript",
      description: "With `with_transcript`: the transcript, once it is complete",
    },
    isReadOnly: true,
  },
];

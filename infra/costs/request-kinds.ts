import type { functionDefinitions } from "../../functions/manifest.ts";
import type { Charged } from "./prices.ts";

type FunctionName = (typeof functionDefinitions)[number]["name"];

/** What one request of a kind uses. Seconds are assumptions about the models; the rest follows from the code. */
export interface RequestKind {
  readonly what: string;
  /** How long each function runs for it. */
  readonly seconds: Readonly<Partial<Record<FunctionName, number>>>;
  /** How much else it uses; what is absent it does not use. */
  readonly uses: Readonly<Partial<Record<Exclude<Charged, "lambdaSecond" | "lambdaRequest">, number>>>;
}

const authorizer = 0.01;

/** The API, the authorizer's read of token and account, the count, and the lines of both functions. */
const taskUses = { apiRequest: 1, tableRead: 1, tableWrite: 1, logKilobyte: 3 };

/** The requests that a deployment mostly sees. */
export const requestKinds: readonly RequestKind[] = [
  {
    what: "login",
    seconds: { auth: 0.12 },
    uses: { apiRequest: 1, tableRead: 1.5, tableWrite: 2, logKilobyte: 1.75, outKilobyte: 1 },
  },
  {
    what: "language identification",
    seconds: { authorizer, language: 0.01 },
    uses: { ...taskUses, outKilobyte: 1 },
  },
  {
    what: "translation, 1 s in the model",
    seconds: { authorizer, translate: 1.02 },
    uses: { ...taskUses, outKilobyte: 1 },
  },
  {
    what: "chat, answered whole after 5 s",
    seconds: { authorizer, chat: 5.02 },
    uses: { ...taskUses, outKilobyte: 2 },
  },
  {
    what: "chat, streamed for 10 s through the REST API",
    seconds: { authorizer, chat: 10.02 },
    uses: { ...taskUses, outKilobyte: 60 },
  },
  {
    what: "chat, streamed for 10 s through the function URL",
    seconds: { chat: 10.03 },
    uses: { ...taskUses, apiRequest: 0, logKilobyte: 2, outKilobyte: 60 },
  },
  {
    what: "speech, 3 s in the model, stored",
    seconds: { authorizer, speech: 3.1 },
    uses: { ...taskUses, bucketWrite: 1, outKilobyte: 200 },
  },
  {
    what: "transcription, 10 s in the model",
    seconds: { authorizer, transcription: 10.1 },
    uses: { ...taskUses, outKilobyte: 2 },
  },
  {
    what: "message to the assistant, answered after 6 s",
    seconds: { webhook: 0.03, messaging: 6.1 },
    uses: { apiRequest: 1, tableRead: 3, tableWrite: 6, queueRequest: 3, logKilobyte: 5, outKilobyte: 3 },
  },
  {
    what: "mail of an account",
    seconds: { mail: 0.3 },
    uses: { tableRead: 1, tableWrite: 2, queueRequest: 3, mail: 1, logKilobyte: 2 },
  },
];

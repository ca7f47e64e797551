import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { getJobOperation } from "../../functions/jobs/contract.ts";
import { transcriptionJobRequest } from "../../functions/jobs/job-requests.ts";
import { getUploadOperation } from "../../functions/upload/contract.ts";
import { ApiClient, newRegistration } from "../support/api-client.ts";
import { openLocalAccounts } from "../support/local-accounts.ts";
import { runService } from "../support/run-service.ts";
import { audioBytes, wavFile } from "../support/wav.ts";
import { startModelServer } from "./model-server.ts";

/** A person with wide limits. */
export interface FuzzAccount {
  readonly username: string;
  readonly password: string;
  token: string;
  /** A recording of the account's, and the last job and upload in parts that a run has made. */
  readonly own: { readonly file: string; job: string; upload: string };
}

const exampleOf = (schema: z.ZodType | undefined): string => z.string().parse(schema?.meta()?.["example"]);

/** In these positions a run uses ids of the account's own. */
export const exampleIds = {
  file: exampleOf(transcriptionJobRequest.shape.file_id),
  job: exampleOf(getJobOperation.pathParameters?.shape.id),
  upload: exampleOf(getUploadOperation.pathParameters?.shape.id),
};

/** The service of a run, with models that respond at once. */
export interface FuzzedService {
  readonly url: string;
  readonly api: ApiClient;
  readonly accounts: readonly [FuzzAccount, FuzzAccount, ...FuzzAccount[]];
  /** Everything the service and its functions have written. */
  output(): string;
  /** Whether the service itself, not only a function, has ended. */
  hasEnded(): boolean;
  stop(): Promise<void>;
}

const createAccount = async (
  api: ApiClient,
  promote: (id: number) => Promise<unknown>,
): Promise<FuzzAccount> => {
  // No response may contain the password, and the documentation has the usual one.
  const password = `seven storks ${randomUUID()}`;
  const { id, ...account } = await api.createAccount({ ...newRegistration(), password });
  await promote(id);
  const file = await api.upload(wavFile(audioBytes(24_000), { stated: true }), account);
  return { ...account, own: { ...exampleIds, file } };
};

/**
 * Starts the service with models of its own and accounts whose limits a run does not reach.
 *
 * @param accountCount at least 3
 */
export const startFuzzedService = async (accountCount: number): Promise<FuzzedService> => {
  const folder = await mkdtemp(join(tmpdir(), "language-ai-fuzz-"));
  const models = await startModelServer();
  const service = await runService({
    PORT: "0",
    DATA_DIR: folder,
    CHAT_BASE_URL: models.baseUrl,
    TRANSCRIPTION_BASE_URL: models.baseUrl,
    SPEECH_BASE_URL: models.baseUrl,
    CHAT_TIMEOUT_MS: "2000",
    LIMIT_ANONYMOUS_PER_MINUTE: "1000000",
    LIMIT_CREDENTIALS_PER_MINUTE: "1000000",
    MESSAGING_SIGNATURE_MODE: "off",
  });
  let hasEnded = false;
  void service.ended.then(() => {
    hasEnded = true;
  });
  const accounts = await openLocalAccounts(folder);
  const api = new ApiClient(() => service.url);
  const create = () => createAccount(api, (id) => accounts.setAccountType(id, "Admin"));
  const first = await create();
  const second = await create();
  const others: FuzzAccount[] = [];
  while (others.length + 2 < accountCount) others.push(await create());
  return {
    url: service.url,
    api,
    accounts: [first, second, ...others],
    output: service.output,
    hasEnded: () => hasEnded,
    stop: async () => {
      await service.stop();
      await models.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

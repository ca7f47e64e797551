import { withTemporaryDirectory } from "../infra/synthesized-service.ts";
import { runService } from "../support/run-service.ts";

/** The local service, and the folder of its data, where a part may also keep files. */
export interface UsedService {
  readonly url: string;
  readonly directory: string;
}

/** Speech as a stream of the local service. */
export const speak = async (url: string, token: string, fields: object): Promise<Buffer> => {
  const response = await fetch(`${url}/tasks/audio/speech`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify({ response_mode: "stream", ...fields }),
  });
  return Buffer.from(await response.arrayBuffer());
};

/** Runs something with the local service. @param variables its settings */
export const withLocalService = <Result>(
  use: (service: UsedService) => Promise<Result>,
  variables: Readonly<Record<string, string>> = {},
): Promise<Result> =>
  withTemporaryDirectory(async (directory) => {
    const service = await runService({ PORT: "0", DATA_DIR: directory, ...variables });
    try {
      return await use({ url: service.url, directory });
    } finally {
      await service.stop();
    }
  });

import type { CalledServer } from "../../shared/models/health/keys.ts";
import { readLastHour } from "../../shared/models/health/model-calls.ts";
import { type BoundPage, page } from "../../shared/pages/server/page.ts";
import { shown } from "../../shared/pages/server/responses.ts";
import type { Table } from "../../shared/platform/storage/table.ts";
import { ModelsList } from "./models-list.tsx";
import { adminModelsPage } from "./pages.ts";
import { probeServer } from "./probe-server.ts";

/** What the page of models uses. */
export interface ModelsDependencies {
  readonly table: Pick<Table, "query">;
  /** Those of each task in the order of their calls. */
  readonly servers: readonly (CalledServer & {
    /** With the `/v1` at its end. */
    readonly baseUrl: string;
    readonly apiKey: () => Promise<string | undefined>;
  })[];
}

/** The page of the models' servers. */
export const modelsPages = ({ table, servers }: ModelsDependencies): BoundPage[] => [
  page(adminModelsPage, {
    show: async (visit) => {
      const models = await Promise.all(
        servers.map(async ({ baseUrl, apiKey, ...called }) => {
          const [probe, hour] = await Promise.all([
            probeServer(baseUrl, apiKey),
            readLastHour(table, called),
          ]);
          return { ...called, host: new URL(baseUrl).host, probe, hour };
        }),
      );
      return shown({ content: <ModelsList {...visit} models={models} /> });
    },
  }),
];

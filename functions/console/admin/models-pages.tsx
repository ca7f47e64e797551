import { readLastHour } from "../../../shared/models/health/model-calls.ts";
import type { Table } from "../../../shared/platform/storage/table.ts";
import type { ModelTask } from "../../../shared/platform/telemetry/backend-uses.ts";
import { type BoundPage, page } from "../server/page.ts";
import { shown } from "../server/responses.ts";
import { ModelsList } from "./models-list.tsx";
import { adminModelsPage } from "./pages.ts";
import { probeServer } from "./probe-server.ts";

/** What the page of models uses. */
export interface ModelsDependencies {
  readonly table: Pick<Table, "query">;
  readonly servers: readonly {
    readonly task: ModelTask;
    /** With the `/v1` at its end. */
    readonly baseUrl: string;
    readonly apiKey: () => Promise<string | undefined>;
  }[];
}

/** The page of the models' servers. */
export const modelsPages = ({ table, servers }: ModelsDependencies): BoundPage[] => [
  page(adminModelsPage, {
    show: async (visit) => {
      const models = await Promise.all(
        servers.map(async ({ task, baseUrl, apiKey }) => {
          const [probe, hour] = await Promise.all([probeServer(baseUrl, apiKey), readLastHour(table, task)]);
          return { task, host: new URL(baseUrl).host, probe, hour };
        }),
      );
      return shown({ content: <ModelsList {...visit} models={models} /> });
    },
  }),
];

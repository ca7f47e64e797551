import type { CalledServer } from "../../shared/models/health/keys.ts";
import type { HourOfCalls } from "../../shared/models/health/model-calls.ts";
import type { Visit } from "../../shared/pages/server/visit.ts";
import { fill } from "../../shared/pages/texts/languages.ts";
import { Badge, DataTable } from "../../shared/pages/view/components.tsx";
import { momentOf, numbersIn } from "../../shared/pages/view/dates.ts";
import { AdminPage } from "./admin-view.tsx";
import type { Probe } from "./probe-server.ts";

interface ShownModel extends CalledServer {
  readonly host: string;
  readonly probe: Probe;
  readonly hour: HourOfCalls;
}

type Shown = Visit<unknown, "operators"> & { readonly models: readonly ShownModel[] };

const Response = ({ probe, visit }: { readonly probe: Probe; readonly visit: Shown }) => {
  const { modelsPage: words } = visit.texts.admin;
  const { status, milliseconds } = probe;
  if (status === undefined) return <Badge kind="bad">{words.no}</Badge>;
  return status >= 200 && status < 300 ? (
    <Badge kind="good">{fill(words.yes, { milliseconds })}</Badge>
  ) : (
    <Badge kind="warning">{fill(words.status, { status })}</Badge>
  );
};

const cellsOf = ({ calls, failures, milliseconds, openedAt }: HourOfCalls, visit: Shown) => {
  const { texts, language } = visit;
  const { modelsPage: words } = texts.admin;
  const number = numbersIn(language, 1);
  return [
    calls === 0 ? words.noCalls : number.format(calls),
    calls === 0 ? "–" : `${number.format((100 * failures) / calls)}%`,
    calls === 0 ? "–" : fill(words.milliseconds, { count: number.format(Math.round(milliseconds / calls)) }),
    openedAt === undefined ? (
      <Badge key="circuit" kind="good">
        {words.closed}
      </Badge>
    ) : (
      <Badge key="circuit" kind="warning">
        {fill(words.opened, { time: momentOf(openedAt, language) })}
      </Badge>
    ),
  ];
};

/** Each server of each task: whether it responds, and how its calls went in the last hour. */
export const ModelsList = (visit: Shown) => {
  const { texts, models } = visit;
  const { modelsPage: words } = texts.admin;
  return (
    <AdminPage tab="models" intro={words.intro}>
      <DataTable
        caption={texts.admin.models}
        isCaptionShown={false}
        isStacked
        columns={[
          ...[words.task, words.server, words.responds, words.calls, words.errors, words.time],
          words.circuit,
        ].map((label) => ({ label }))}
        rows={models.map(({ task, server, host, probe, hour }) => [
          words.tasks[task],
          <>
            {server === undefined ? undefined : <strong key="name">{server} </strong>}
            <code key="host" class="breaks">
              {host}
            </code>
          </>,
          <Response key={task} probe={probe} visit={visit} />,
          ...cellsOf(hour, visit),
        ])}
      />
      <p class="soft small">{words.circuitHint}</p>
    </AdminPage>
  );
};

import { maxUsageDays, type Usage, type UsedOperation } from "../../../shared/accounts/usage/usage.ts";
import type { Visit } from "../server/visit.ts";
import { fill } from "../texts/languages.ts";
import { BarChart } from "../view/bar-chart.tsx";
import { DataTable, EmptyState, Meter } from "../view/components.tsx";
import { dayOf, numbersIn } from "../view/dates.ts";
import { Field } from "../view/forms.tsx";
import { RecordingsMeter } from "./recordings-meter.tsx";
import { FirstCall } from "./tokens.tsx";

/** The requested days, and their problem. */
export interface UsageRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly problem?: "order" | "tooManyDays" | undefined;
}

type Shown = Visit<unknown, "signed-in"> & {
  readonly usage: Usage;
  readonly requested: UsageRange;
  readonly keyNames: ReadonlyMap<string, string>;
};

const units = ["requests", "errors", "characters", "tokens", "audio_seconds"] as const;
type Sums = Record<(typeof units)[number], number>;

/** The totals of all days by name, the most used first. */
const sumsBy = (usage: Usage, nameOf: (used: UsedOperation) => string): [string, Sums][] => {
  const sums = new Map<string, Sums>();
  for (const used of usage.days.flatMap(({ operations }) => operations)) {
    const name = nameOf(used);
    const row = sums.get(name) ?? { requests: 0, errors: 0, characters: 0, tokens: 0, audio_seconds: 0 };
    for (const unit of units) row[unit] += used[unit];
    sums.set(name, row);
  }
  return [...sums].toSorted(([, one], [, other]) => other.requests - one.requests);
};

const Sums = ({
  caption,
  label,
  rows,
  visit: { texts, language },
}: {
  readonly caption: string;
  readonly label: string;
  readonly rows: readonly [string, Sums][];
  readonly visit: Shown;
}) => {
  const words = texts.usage;
  const number = numbersIn(language, 1);
  return (
    <DataTable
      caption={caption}
      columns={[
        { label },
        ...[words.tasks, words.errors, words.characters, words.tokens, words.audio].map((unit) => ({
          label: unit,
          isNumber: true,
        })),
      ]}
      rows={rows.map(([name, sums]) => [name, ...units.map((unit) => number.format(sums[unit]))])}
    />
  );
};

const Range = ({ texts, url, usage, requested }: Shown) => {
  const words = texts.usage;
  const problem = requested.problem && fill(words[requested.problem], { count: maxUsageDays });
  return (
    <form method="get" action={url("/console/usage")} class="row">
      <Field
        name="from"
        label={words.from}
        type="date"
        value={requested.from ?? usage.from}
        problem={problem}
      />
      <Field name="to" label={words.to} type="date" value={requested.to ?? usage.to} />
      <button type="submit" class="button secondary">
        {words.show}
      </button>
    </form>
  );
};

const Days = ({ texts, language, usage }: Shown) => {
  const words = texts.usage;
  const number = numbersIn(language);
  const days = usage.days.map(({ date, total }) => ({ label: dayOf(date, language), value: total }));
  const totals = days.map(({ value }) => value);
  return (
    <>
      <BarChart
        label={words.days}
        bars={days}
        summary={fill(words.chart, {
          total: number.format(totals.reduce((sum, total) => sum + total, 0)),
          from: dayOf(usage.from, language),
          to: dayOf(usage.to, language),
          most: number.format(Math.max(...totals)),
        })}
      />
      <details>
        <summary>{words.asTable}</summary>
        <DataTable
          caption={words.days}
          columns={[{ label: words.day }, { label: words.tasks, isNumber: true }]}
          rows={days.map(({ label, value }) => [label, number.format(value)])}
        />
      </details>
    </>
  );
};

const Charts = (visit: Shown) => {
  const { texts, usage, url, keyNames } = visit;
  const words = texts.usage;
  const keyOf = ({ key }: UsedOperation) =>
    key === null ? words.withTokens : (keyNames.get(key) ?? fill(words.revokedKey, { id: key }));
  const query = new URLSearchParams({ from: usage.from, to: usage.to, format: "csv" });
  return (
    <>
      <Days {...visit} />
      <Sums
        caption={words.operations}
        label={words.operation}
        rows={sumsBy(usage, ({ path }) => path)}
        visit={visit}
      />
      <Sums caption={words.keys} label={texts.tokens.key} rows={sumsBy(usage, keyOf)} visit={visit} />
      <p>
        <a href={`${url("/console/usage")}?${query}`}>{words.csv}</a>
      </p>
    </>
  );
};

/** Usage by quota, day, operation and key. */
export const UsageOfDays = (visit: Shown) => {
  const { texts, usage, baseUrl } = visit;
  const words = texts.usage;
  const isEmpty = usage.days.every(({ operations }) => operations.length === 0);
  return (
    <>
      <h1>{texts.navigation.usage}</h1>
      <div class="cards">
        <section class="card">
          <Meter label={texts.overview.today} used={usage.today.used} limit={usage.today.limit} />
        </section>
        <section class="card">
          <Meter
            label={texts.overview.thisMonth}
            used={usage.this_month.used}
            limit={usage.this_month.limit}
          />
        </section>
        <section class="card">
          <RecordingsMeter usage={usage} label={words.recordings} />
        </section>
      </div>
      <h2>{words.days}</h2>
      <Range {...visit} />
      {isEmpty ? (
        <EmptyState title={words.none}>
          <p>{words.noneText}</p>
          <FirstCall baseUrl={baseUrl} label="curl" />
        </EmptyState>
      ) : (
        <Charts {...visit} />
      )}
      <p class="hint">{words.utc}</p>
    </>
  );
};

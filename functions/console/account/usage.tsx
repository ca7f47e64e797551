import { maxUsageDays, type Usage, type UsedOperation } from "../../../shared/accounts/usage/usage.ts";
import { fill } from "../../../shared/pages/texts/languages.ts";
import { DataTable, EmptyState, PageHead, Segments } from "../../../shared/pages/view/components.tsx";
import { dayOf, numbersIn } from "../../../shared/pages/view/dates.ts";
import { Field } from "../../../shared/pages/view/forms.tsx";
import { Meter } from "../../../shared/pages/view/meter.tsx";
import { CharactersMeter, RecordingsMeter } from "../../../shared/pages/view/month-meters.tsx";
import { FirstRequest } from "./first-request.tsx";
import { usageRanges } from "./pages.ts";
import { Requests, type RequestsView } from "./requests.tsx";
import { StackedChart } from "./stacked-chart.tsx";

/** The requested days, and their problem. */
export interface UsageRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** The period that was chosen instead of days. */
  readonly range?: (typeof usageRanges)[number];
  readonly problem?: "order" | "tooManyDays" | undefined;
}

type Shown = RequestsView & {
  readonly usage: Usage;
  readonly requested: UsageRange;
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
    <form method="get" action={url("/console/usage")} class="range">
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

const Periods = ({ texts, url, requested: { from, range } }: Shown) => (
  <Segments
    label={texts.usage.period}
    choices={usageRanges.map((each) => ({
      href: `${url("/console/usage")}?range=${each}`,
      label: fill(texts.usage.lastDays, { count: Number.parseInt(each, 10) }),
      isCurrent: each === (range ?? (from === undefined ? "30d" : undefined)),
    }))}
  />
);

/** The kinds of requests, in the order of the chart's colours, by what their paths contain. */
const kinds = [
  ["translate", /translate$/],
  ["speak", /speech|tts|orpheus/],
  ["transcribe", /stt|audio\/trans|jobs/],
  ["chat", /chat|responses|sunflower|summarise/],
  ["identify", /language/],
] as const;

/** The requests of a day by kind; those of no kind last. */
const requestsByKind = (operations: readonly UsedOperation[]): number[] => {
  const sums = Array.from({ length: kinds.length + 1 }, () => 0);
  for (const { path, requests } of operations) {
    const found = kinds.findIndex(([, pattern]) => pattern.test(path));
    const index = found < 0 ? kinds.length : found;
    sums[index] = (sums[index] ?? 0) + requests;
  }
  return sums;
};

const Days = ({ texts, language, usage }: Shown) => {
  const words = texts.usage;
  const number = numbersIn(language);
  const series = [...kinds.map(([kind]) => texts.playground[kind]), words.other];
  const days = usage.days.map(({ date, operations }) => ({
    label: dayOf(date, language),
    values: requestsByKind(operations),
  }));
  const used = series.map((_, index) => days.some(({ values }) => (values[index] ?? 0) > 0));
  const isShown = (index: number): boolean => index < kinds.length || used[index] === true;
  const totals = usage.days.map(({ total }) => total);
  return (
    <>
      <div class="card">
        <StackedChart
          label={words.days}
          series={series.filter((_, index) => isShown(index))}
          bars={days}
          summary={fill(words.chart, {
            total: number.format(totals.reduce((sum, total) => sum + total, 0)),
            from: dayOf(usage.from, language),
            to: dayOf(usage.to, language),
            most: number.format(totals.reduce((most, total) => Math.max(most, total), 0)),
          })}
        />
      </div>
      <details class="more">
        <summary>{words.asTable}</summary>
        <DataTable
          caption={words.days}
          columns={[
            { label: words.day },
            { label: words.tasks, isNumber: true },
            ...series.filter((_, index) => isShown(index)).map((label) => ({ label, isNumber: true })),
          ]}
          rows={days.map(({ label, values }, index) => [
            label,
            number.format(totals[index] ?? 0),
            ...values.filter((_, kind) => isShown(kind)).map((value) => number.format(value)),
          ])}
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
      <PageHead title={texts.navigation.usage}>
        <p class="soft">{words.utc}</p>
      </PageHead>
      <div class="columns two">
        <Meter label={texts.overview.today} used={usage.today.used} limit={usage.today.limit} />
        <Meter label={texts.overview.thisMonth} used={usage.this_month.used} limit={usage.this_month.limit} />
        <RecordingsMeter usage={usage} label={words.recordings} />
        <CharactersMeter usage={usage} label={words.charactersThisMonth} />
      </div>
      {usage.account_type === "Free" && (
        <p>
          <a href={visit.url("/console/tier")}>{texts.tier.link}</a>
        </p>
      )}
      <div class="row between">
        <Periods {...visit} />
        <Range {...visit} />
      </div>
      {isEmpty ? (
        <>
          <EmptyState title={words.none}>
            <p>{words.noneText}</p>
          </EmptyState>
          <FirstRequest baseUrl={baseUrl} />
        </>
      ) : (
        <Charts {...visit} />
      )}
      <Requests {...visit} />
    </>
  );
};

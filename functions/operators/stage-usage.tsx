import type * as z from "zod";
import { dateOfDay } from "../../shared/accounts/limits/windows.ts";
import { type TaskPaths, toUsedOperation } from "../../shared/accounts/usage/find-usage.ts";
import type { UsedRow } from "../../shared/accounts/usage/read-usage.ts";
import type { StageUsage } from "../../shared/accounts/usage/stage-usage.ts";
import { proofField } from "../../shared/pages/proof/proof-field.tsx";
import { sentTo } from "../../shared/pages/server/sent-form.ts";
import type { Visit } from "../../shared/pages/server/visit.ts";
import { fill } from "../../shared/pages/texts/languages.ts";
import { DataTable, EmptyState } from "../../shared/pages/view/components.tsx";
import { dayOf, monthName, numbersIn } from "../../shared/pages/view/dates.ts";
import { Form, Select } from "../../shared/pages/view/forms.tsx";
import { AccountLink, AdminPage, More } from "./admin-view.tsx";
import type { adminUsagePage } from "./pages.ts";

const to = "/console/admin/usage";

/** Usage is stored for 400 days. */
const monthsShown = 14;

/** How many accounts one part has. */
export const accountsPerPart = 200;

/** How many rows a table has at most; the file has all of them. */
const maxRows = 50;

type Shown = Visit<z.output<NonNullable<typeof adminUsagePage.query>>, "operators"> & {
  readonly month: string;
  readonly usage: StageUsage;
  readonly taskPaths: TaskPaths;
  readonly names: ReadonlyMap<number, string>;
};

const units = ["requests", "errors", "characters", "tokens", "audio_seconds"] as const;
type Sums = Record<(typeof units)[number], number>;
type Used = UsedRow & { readonly account: number };

/** The months of which usage is stored, the newest first. */
const monthsUntil = (now: Date): string[] =>
  Array.from({ length: monthsShown }, (_, index) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - index)).toISOString().slice(0, 7),
  );

/** The accounts of a part that have used the most, for which names are read. */
export const busiestAccounts = ({ accounts }: StageUsage): number[] =>
  accounts
    .map(({ account, rows }) => ({ account, sum: rows.reduce((total, { requests }) => total + requests, 0) }))
    .toSorted((one, other) => other.sum - one.sum)
    .slice(0, maxRows)
    .map(({ account }) => account);

const sumsBy = <Key,>(rows: readonly Used[], keyOf: (row: Used) => Key, paths: TaskPaths): [Key, Sums][] => {
  const sums = new Map<Key, Sums>();
  for (const row of rows) {
    const key = keyOf(row);
    const sum = sums.get(key) ?? { requests: 0, errors: 0, characters: 0, tokens: 0, audio_seconds: 0 };
    const used = toUsedOperation(row, paths);
    for (const unit of units) sum[unit] += used[unit];
    sums.set(key, sum);
  }
  return [...sums].toSorted(([, one], [, other]) => other.requests - one.requests);
};

const rowsOf = ({ accounts }: StageUsage): Used[] =>
  accounts.flatMap(({ account, rows }) => rows.map((row) => ({ ...row, account })));

/** The names of the units, in their order. */
const unitNames = ({ usage: words }: Shown["texts"]): string[] => [
  words.tasks,
  words.errors,
  words.characters,
  words.tokens,
  words.audio,
];

/** What all accounts have used together, above the tables. */
const Totals = ({ texts, language, usage, taskPaths }: Shown) => {
  const number = numbersIn(language);
  const [[, sums] = []] = sumsBy(rowsOf(usage), () => "all", taskPaths);
  if (!sums) return null;
  const labels = unitNames(texts);
  return (
    <div class="totals">
      {units.map((unit, index) => (
        <section key={unit} class="card meter">
          <h2>{labels[index]}</h2>
          <p>
            <strong class="figures">{number.format(sums[unit])}</strong>
          </p>
        </section>
      ))}
    </div>
  );
};

const Tables = (visit: Shown) => {
  const { texts, language, usage, taskPaths, names } = visit;
  const { usagePage: own } = texts.admin;
  const { usage: words } = texts;
  const number = numbersIn(language, 1);
  const rows = rowsOf(usage);
  const cellsOf = (sums: Sums) => units.map((unit) => number.format(sums[unit]));
  const days = sumsBy(rows, ({ day }) => day, taskPaths).toSorted(([one], [other]) => other - one);
  const tables = [
    {
      caption: own.byAccount,
      label: texts.admin.account,
      rows: sumsBy(rows, ({ account }) => account, taskPaths)
        .slice(0, maxRows)
        .map(([account, sums]) => [
          <AccountLink key={account} id={account} names={names} />,
          ...cellsOf(sums),
        ]),
    },
    {
      caption: words.operations,
      label: words.operation,
      rows: sumsBy(rows, (row) => toUsedOperation(row, taskPaths).path, taskPaths).map(([path, sums]) => [
        path,
        ...cellsOf(sums),
      ]),
    },
    {
      caption: own.byDay,
      label: words.day,
      rows: days.map(([day, sums]) => [dayOf(dateOfDay(day), language), ...cellsOf(sums)]),
    },
  ];
  return (
    <>
      {tables.map(({ caption, label, rows: cells }) => (
        <DataTable
          key={caption}
          caption={caption}
          columns={[{ label }, ...unitNames(texts).map((unit) => ({ label: unit, isNumber: true }))]}
          rows={cells}
        />
      ))}
    </>
  );
};

const Months = ({ texts, language, url, month }: Shown) => (
  <form method="get" action={url(to)} class="range">
    <Select
      name="month"
      label={texts.admin.usagePage.month}
      value={month}
      options={monthsUntil(new Date()).map((value) => ({ value, label: monthName(value, language) }))}
    />
    <button type="submit" class="button secondary">
      {texts.usage.show}
    </button>
  </form>
);

const Export = (visit: Shown) => {
  const { texts, query, month } = visit;
  const { admin: words } = texts;
  const { form, isThis } = sentTo("export", visit);
  return (
    <details open={isThis} class="more">
      <summary>{words.usagePage.export}</summary>
      <p>{words.usagePage.exportText}</p>
      <Form to={to} submit={words.usagePage.export} look="secondary" {...form}>
        <input type="hidden" name="month" value={month} />
        <input type="hidden" name="from" value={query.from ?? visit.values["from"] ?? ""} />
        {proofField(visit, "export")}
      </Form>
    </details>
  );
};

const Part = ({ texts, usage }: Shown) => {
  const [first, last] = [usage.accounts.at(0), usage.accounts.at(-1)];
  if (!first || !last) return null;
  const values = { first: first.account, last: last.account, count: accountsPerPart };
  return <p class="soft">{fill(texts.admin.usagePage.part, values)}</p>;
};

/** The usage of all accounts in a month, in parts of some accounts each. */
export const UsageOfStage = (visit: Shown) => {
  const { texts, query, month, usage } = visit;
  const { usagePage: own } = texts.admin;
  const isPart = usage.next !== undefined || query.from !== undefined;
  return (
    <AdminPage tab="usage" intro={own.intro}>
      <Months {...visit} />
      {usage.accounts.length === 0 ? (
        <EmptyState title={own.none}>
          <p>{own.noneText}</p>
        </EmptyState>
      ) : (
        <>
          {isPart && <Part {...visit} />}
          <Totals {...visit} />
          <Tables {...visit} />
          <Export {...visit} />
        </>
      )}
      {usage.next !== undefined && <More path={to} query={{ month, from: String(usage.next) }} />}
    </AdminPage>
  );
};

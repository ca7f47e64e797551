import { fill } from "../../../shared/pages/texts/languages.ts";
import { Badge, PageHead } from "../../../shared/pages/view/components.tsx";
import { dayOf, momentOf, numbersIn } from "../../../shared/pages/view/dates.ts";
import { useFrame } from "../../../shared/pages/view/frame.ts";
import { statusDays } from "../../../shared/platform/status/status-log.ts";
import type { TaskStatus } from "./task-status.ts";

type Day = TaskStatus["days"][number];

const kinds = { working: "good", failing: "bad", not_measured: undefined } as const;
const icons = { working: "success", failing: "problem", not_measured: undefined } as const;

/** How a day looks: without checks, without failures, with some, or with many. */
const lookOf = ({ checks, failures }: Day): string => {
  if (checks === 0) return "none";
  if (failures === 0) return "good";
  return failures / checks < 0.05 ? "some" : "many";
};

const [barWidth, barStep, barHeight] = [8, 10, 32];

/** A bar for each day, drawn by the server; the text next to it says the same. */
const Bars = ({ days, label }: { readonly days: readonly Day[]; readonly label: string }) => {
  const { texts, language } = useFrame();
  return (
    <div class="days" role="img" aria-label={label}>
      <svg
        viewBox={`0 0 ${days.length * barStep - (barStep - barWidth)} ${barHeight}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {days.map((day, index) => (
          <rect
            key={day.date}
            class={`day-${lookOf(day)}`}
            x={index * barStep}
            y={day.checks === 0 ? barHeight * 0.75 : 0}
            width={barWidth}
            height={day.checks === 0 ? barHeight / 4 : barHeight}
          >
            <title>
              {fill(texts.status.day, {
                day: dayOf(day.date, language),
                failures: day.failures,
                checks: day.checks,
              })}
            </title>
          </rect>
        ))}
      </svg>
    </div>
  );
};

const Task = ({ task, status, uptime, days }: TaskStatus) => {
  const { texts, language } = useFrame();
  const words = texts.status;
  const percent = numbersIn(language, 2);
  const sentence =
    uptime === null
      ? words.noChecks
      : fill(words.uptime, { percent: percent.format(Math.floor(uptime * 10_000) / 100) });
  const failed = days.filter(({ failures }) => failures > 0).toReversed();
  const icon = icons[status];
  const kind = kinds[status];
  return (
    <section class="card status" aria-labelledby={`status-${task}`}>
      <div class="row between">
        <h2 id={`status-${task}`}>{words.tasks[task]}</h2>
        <Badge {...(kind ? { kind } : {})} {...(icon ? { icon } : {})}>
          {words.states[status]}
        </Badge>
      </div>
      <Bars days={days} label={`${words.tasks[task]}: ${sentence}`} />
      <p class="ends">
        <span>{fill(words.daysAgo, { count: statusDays })}</span>
        <span>{words.today}</span>
      </p>
      <p>{sentence}</p>
      {failed.length > 0 && (
        <details class="more">
          <summary>{fill(words.failures, { count: failed.length })}</summary>
          <ul>
            {failed.map((day) => (
              <li key={day.date}>
                {fill(words.day, {
                  day: dayOf(day.date, language),
                  failures: day.failures,
                  checks: day.checks,
                })}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
};

/** Whether each task works now, and how it did in the last days. */
export const Status = ({
  tasks,
  checkedAt,
}: {
  readonly tasks: readonly TaskStatus[];
  readonly checkedAt: string | undefined;
}) => {
  const { texts, language } = useFrame();
  const words = texts.status;
  const isFailing = tasks.some(({ status }) => status === "failing");
  const isMeasured = tasks.some(({ status }) => status !== "not_measured");
  const summary = isFailing ? words.someFail : isMeasured ? words.allWork : words.notMeasured;
  return (
    <>
      <PageHead title={words.title}>
        <p class="lead">{summary}</p>
        <p class="soft">
          {checkedAt === undefined
            ? words.never
            : fill(words.checked, { time: momentOf(checkedAt, language) })}
        </p>
      </PageHead>
      {tasks.map((task) => (
        <Task key={task.task} {...task} />
      ))}
    </>
  );
};

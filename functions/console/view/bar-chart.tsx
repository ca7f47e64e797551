import { numbersIn } from "./dates.ts";
import { useFrame } from "./frame.ts";

/** One bar, with the words that name it. */
export interface Bar {
  readonly label: string;
  readonly value: number;
}

const barWidth = 10;
const gap = 2;
const height = 100;

/** The next of 1, 2, 5, 10, 20, 50 … that is not less: the top of a chart is a number that people can divide. */
export const topOf = (max: number): number => {
  if (max <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(max));
  return [1, 2, 5, 10].map((step) => step * power).find((top) => top >= max) ?? max;
};

/**
 * Bars side by side, drawn by the server. It says nothing that does not stand in a table beside it: to those who hear the
 * page it is one picture with a sentence.
 */
export const BarChart = ({
  label,
  summary,
  bars,
}: {
  readonly label: string;
  readonly summary: string;
  readonly bars: readonly Bar[];
}) => {
  const { language } = useFrame();
  const top = topOf(Math.max(0, ...bars.map(({ value }) => value)));
  return (
    <figure class="chart">
      <figcaption>
        <span>{label}</span>
        <span>{numbersIn(language).format(top)}</span>
      </figcaption>
      <svg
        role="img"
        aria-label={summary}
        viewBox={`0 0 ${bars.length * barWidth} ${height}`}
        preserveAspectRatio="none"
      >
        {bars.map(({ label: name, value }, index) => {
          // What was used at all can be seen.
          const tall = value <= 0 ? 0 : Math.max(1, (value / top) * height);
          return (
            <rect
              key={name}
              x={index * barWidth + gap / 2}
              y={height - tall}
              width={barWidth - gap}
              height={tall}
            >
              <title>{`${name}: ${value}`}</title>
            </rect>
          );
        })}
      </svg>
      <div class="ends">
        <span>{bars[0]?.label}</span>
        <span>{bars.at(-1)?.label}</span>
      </div>
    </figure>
  );
};

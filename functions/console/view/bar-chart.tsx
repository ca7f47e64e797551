import { numbersIn } from "./dates.ts";
import { useFrame } from "./frame.ts";

/** One bar and its label. */
export interface Bar {
  readonly label: string;
  readonly value: number;
}

const barWidth = 10;
const gap = 2;
const height = 100;

/** The top of a chart: the smallest of 1, 2, 5, 10, 20, 50 … that is not less than the highest value. */
export const topOf = (max: number): number => {
  if (max <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(max));
  return [1, 2, 5, 10].map((step) => step * power).find((top) => top >= max) ?? max;
};

const Bars = ({ bars, top }: { readonly bars: readonly Bar[]; readonly top: number }) => (
  <>
    {bars.map(({ label, value }, index) => {
      // Anything above zero is visible.
      const barHeight = value <= 0 ? 0 : Math.max(1, (value / top) * height);
      const x = index * barWidth + gap / 2;
      return (
        <rect key={label} x={x} y={height - barHeight} width={barWidth - gap} height={barHeight}>
          <title>{`${label}: ${value}`}</title>
        </rect>
      );
    })}
  </>
);

/** A bar chart drawn by the server. Screen readers announce it as one picture: the page has the same figures in a table. */
export const BarChart = ({
  label,
  summary,
  bars,
}: {
  readonly label: string;
  readonly summary: string;
  readonly bars: readonly Bar[];
}) => {
  const top = topOf(Math.max(0, ...bars.map(({ value }) => value)));
  const viewBox = `0 0 ${bars.length * barWidth} ${height}`;
  return (
    <figure class="chart">
      <figcaption>
        <span>{label}</span>
        <span>{numbersIn(useFrame().language).format(top)}</span>
      </figcaption>
      <svg role="img" aria-label={summary} viewBox={viewBox} preserveAspectRatio="none">
        <Bars bars={bars} top={top} />
      </svg>
      <div class="ends">
        <span>{bars[0]?.label}</span>
        <span>{bars.at(-1)?.label}</span>
      </div>
    </figure>
  );
};

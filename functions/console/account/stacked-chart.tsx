import { numbersIn } from "../../../shared/pages/view/dates.ts";
import { useFrame } from "../../../shared/pages/view/frame.ts";

/** One bar: its values from the bottom up, in the order of the series. */
export interface StackedBar {
  readonly label: string;
  readonly values: readonly number[];
}

/** The room of a chart, in the units of its picture. */
interface Size {
  readonly look: "narrow" | "wide";
  readonly width: number;
  readonly height: number;
}

/** One drawing for phones, one for larger screens, so letters have the same size on both. */
const sizes: readonly Size[] = [
  { look: "narrow", width: 328, height: 200 },
  { look: "wide", width: 960, height: 240 },
];

const marginLeft = 44;
const marginTop = 18;
const marginBottom = 22;

/** The top of a chart: the smallest of 1, 2, 5, 10, 20, 50 … that is not less than the maximum. */
export const topOf = (max: number): number => {
  if (max <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(max));
  return [1, 2, 5, 10].map((step) => step * power).find((top) => top >= max) ?? max;
};

const totalOf = ({ values }: StackedBar): number => values.reduce((sum, value) => sum + value, 0);

interface DrawingProps extends Size {
  readonly bars: readonly StackedBar[];
  readonly top: number;
}

const Grid = ({ width, height, top }: Omit<DrawingProps, "bars">) => {
  const number = numbersIn(useFrame().language);
  const room = height - marginTop - marginBottom;
  const steps = top >= 2 ? [0, 0.5, 1] : [0, 1];
  return (
    <>
      {steps.map((share) => {
        const y = height - marginBottom - share * room;
        return (
          <g key={share}>
            <line
              x1={marginLeft}
              x2={width}
              y1={y}
              y2={y}
              class={share === 0 ? "zero" : undefined}
              vector-effect="non-scaling-stroke"
            />
            <text x={marginLeft - 8} y={y + 4} text-anchor="end">
              {number.format(share * top)}
            </text>
          </g>
        );
      })}
    </>
  );
};

const Bar = ({
  bar,
  x,
  width,
  height,
  top,
}: Pick<DrawingProps, "width" | "height" | "top"> & { readonly bar: StackedBar; readonly x: number }) => {
  const room = height - marginTop - marginBottom;
  let bottom = height - marginBottom;
  return (
    <g>
      <title>{`${bar.label}: ${totalOf(bar)}`}</title>
      {bar.values.map((value, index) => {
        if (value <= 0) return null;
        // Anything above zero is visible.
        const part = Math.max(1, (value / top) * room);
        bottom -= part;
        return (
          <rect
            key={index}
            class={`chart-${index + 1}`}
            x={x.toFixed(1)}
            y={bottom.toFixed(1)}
            width={width.toFixed(1)}
            height={part.toFixed(1)}
          />
        );
      })}
    </g>
  );
};

/** With more bars, their values would overlap. */
const maxValues = { narrow: 10, wide: 32 } as const;

const Drawing = ({ look, width, height, bars, top }: DrawingProps) => {
  const number = numbersIn(useFrame().language);
  const step = (width - marginLeft) / Math.max(1, bars.length);
  const gap = Math.min(6, step * 0.2);
  const room = height - marginTop - marginBottom;
  return (
    <svg class={look} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <Grid {...{ look, width, height, top }} />
      {bars.map((bar, index) => {
        const x = marginLeft + index * step + gap / 2;
        const total = totalOf(bar);
        return (
          <g key={bar.label}>
            <Bar bar={bar} x={x} width={step - gap} height={height} top={top} />
            {total > 0 && bars.length <= maxValues[look] && (
              <text
                class="value"
                x={x + (step - gap) / 2}
                y={height - marginBottom - (total / top) * room - 5}
                text-anchor="middle"
              >
                {number.format(total)}
              </text>
            )}
          </g>
        );
      })}
      <text x={marginLeft} y={height - 5}>
        {bars[0]?.label}
      </text>
      {bars.length > 1 && (
        <text x={width} y={height - 5} text-anchor="end">
          {bars.at(-1)?.label}
        </text>
      )}
    </svg>
  );
};

/**
 * Bars whose parts are stacked, drawn by the server. Screen readers announce one picture: the page has the same figures in a
 * table.
 *
 * @param series the names of the parts, at most five, from the bottom up.
 */
export const StackedChart = ({
  label,
  summary,
  series,
  bars,
}: {
  readonly label: string;
  readonly summary: string;
  readonly series: readonly string[];
  readonly bars: readonly StackedBar[];
}) => {
  const top = topOf(bars.reduce((most, bar) => Math.max(most, totalOf(bar)), 0));
  return (
    <figure class="chart">
      <figcaption>
        <span>{label}</span>
        <ul class="legend">
          {series.map((name, index) => (
            <li key={name}>
              <svg viewBox="0 0 12 12" aria-hidden="true">
                <rect class={`chart-${index + 1}`} width="12" height="12" rx="2" />
              </svg>
              {name}
            </li>
          ))}
        </ul>
      </figcaption>
      <div role="img" aria-label={summary}>
        {sizes.map((size) => (
          <Drawing key={size.look} {...size} bars={bars} top={top} />
        ))}
      </div>
    </figure>
  );
};

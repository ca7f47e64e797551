import type { CalibrationCheck } from "../../../shared/platform/catalogue/stage-catalogue.ts";

/** In units of the drawing, which is as wide as the page allows. */
const side = 100;

const round = (value: number): number => Math.round(value * 10) / 10;

/** What is right over what is marked: the line of a perfect confidence is the diagonal. The table next to it has the numbers. */
export const CalibrationCurve = ({
  label,
  checks,
}: {
  readonly label: string;
  readonly checks: readonly CalibrationCheck[];
}) => {
  const points = checks.map(({ from, to, count, right }) => ({
    x: round((side * (from + to)) / 2),
    y: round(side * (1 - right / count)),
  }));
  return (
    <svg class="curve" viewBox={`-2 -2 ${side + 4} ${side + 4}`} role="img" aria-label={label}>
      <rect width={side} height={side} class="curve-frame" />
      <line x1="0" y1={side} x2={side} y2="0" class="curve-ideal" />
      <polyline points={points.map(({ x, y }) => `${x},${y}`).join(" ")} class="curve-line" />
      {points.map(({ x, y }) => (
        <circle key={x} cx={x} cy={y} r="1.5" class="curve-point" />
      ))}
    </svg>
  );
};

import type { ComponentChildren } from "preact";
import { fill } from "../texts/languages.ts";
import { numbersIn } from "./dates.ts";
import { useFrame } from "./frame.ts";

/** From this share on, a meter warns. */
const highShare = 0.8;

/** Usage of a quota, in words and as a bar. */
export const Meter = ({
  label,
  used,
  limit,
  unit = "requests",
  children,
}: {
  readonly label: string;
  readonly used: number;
  readonly limit: number | null;
  readonly unit?: "requests" | "minutes";
  readonly children?: ComponentChildren;
}) => {
  const { texts, language } = useFrame();
  const number = numbersIn(language);
  const { of, ofMinutes, minutes, noLimit } = texts.usage;
  const limited = unit === "requests" ? of : ofMinutes;
  const words =
    limit === null
      ? unit === "requests"
        ? noLimit
        : `${minutes}, ${noLimit}`
      : fill(limited, { limit: number.format(limit) });
  return (
    <section class="card meter">
      <h2>{label}</h2>
      <p>
        <strong class="figures">{number.format(used)}</strong> <span class="of">{words}</span>
      </p>
      {limit !== null && (
        <progress
          class={used >= highShare * limit ? "high" : undefined}
          value={Math.min(used, limit)}
          max={limit}
          aria-label={`${label}: ${number.format(used)} ${words}`}
        />
      )}
      {children}
    </section>
  );
};

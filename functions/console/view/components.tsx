import type { ComponentChildren } from "preact";
import { fill } from "../texts/languages.ts";
import { numbersIn } from "./dates.ts";
import { useFrame } from "./frame.ts";

/** Something that has happened, or has to be known before going on. */
export const Notice = ({
  kind = "good",
  title,
  children,
}: {
  readonly kind?: "good" | "bad";
  readonly title?: string;
  readonly children?: ComponentChildren;
}) => (
  <div class={kind === "bad" ? "notice bad" : "notice"} role={kind === "bad" ? "alert" : "status"}>
    {title && (
      <p>
        <strong>{title}</strong>
      </p>
    )}
    {children}
  </div>
);

/** What to do where there is nothing yet. */
export const EmptyState = ({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) => (
  <section class="empty">
    <h3>{title}</h3>
    {children}
  </section>
);

/** What can be copied; the button is shown by the script that makes it work. */
const Copyable = ({ label, children }: { readonly label: string; readonly children: ComponentChildren }) => {
  const { texts } = useFrame();
  return (
    <figure class="code">
      <figcaption>
        {label}
        <button type="button" data-copy data-copied={texts.forms.copied} hidden>
          {texts.forms.copy}
        </button>
      </figcaption>
      {children}
    </figure>
  );
};

/** Code to be copied. */
export const CodeBlock = ({ label, code }: { readonly label: string; readonly code: string }) => (
  <Copyable label={label}>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with the keyboard */}
    <pre tabIndex={0}>
      <code>{code}</code>
    </pre>
  </Copyable>
);

/** A secret that is shown this once: one touch selects the whole of it, and a button copies it where there is JavaScript. */
export const Secret = ({ label, value }: { readonly label: string; readonly value: string }) => (
  <Copyable label={label}>
    <code class="secret notranslate">{value}</code>
  </Copyable>
);

interface Column {
  readonly label: string;
  /** Numbers stand below each other by their ends. */
  readonly isNumber?: boolean;
}

/** A table; the first cell of a row names it. On a narrow screen it is moved sideways by itself. */
export const DataTable = ({
  caption,
  columns,
  rows,
}: {
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly (string | number)[])[];
}) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with the keyboard
  <section class="scroll" aria-label={caption} tabIndex={0}>
    <table>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ label, isNumber }) => (
            <th key={label} scope="col" class={isNumber ? "number" : undefined}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells) => (
          <tr key={cells.join(" ")}>
            {cells.map((cell, index) =>
              index === 0 ? (
                <th key={columns[index]?.label} scope="row">
                  {cell}
                </th>
              ) : (
                <td key={columns[index]?.label} class={columns[index]?.isNumber ? "number" : undefined}>
                  {cell}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

/** How much of something is used, as words and as a bar. */
export const Meter = ({
  label,
  used,
  limit,
  unit = "tasks",
}: {
  readonly label: string;
  readonly used: number;
  readonly limit: number | null;
  readonly unit?: "tasks" | "minutes";
}) => {
  const { texts, language } = useFrame();
  const number = numbersIn(language);
  const { usedOf, usedOfAny, minutesOf, minutesOfAny } = texts.usage;
  const [bounded, boundless] = unit === "tasks" ? [usedOf, usedOfAny] : [minutesOf, minutesOfAny];
  const words =
    limit === null
      ? fill(boundless, { used: number.format(used) })
      : fill(bounded, { used: number.format(used), limit: number.format(limit) });
  return (
    <>
      <h2>{label}</h2>
      <p>{words}</p>
      {limit !== null && (
        <progress value={Math.min(used, limit)} max={limit} aria-label={`${label}: ${words}`} />
      )}
    </>
  );
};

import { type ComponentChildren, Fragment } from "preact";
import { fill } from "../texts/languages.ts";
import { numbersIn } from "./dates.ts";
import { useFrame } from "./frame.ts";

/**
 * A message at the top of a page or form.
 *
 * @param isFocused moves the focus, and so the visible part of the page, to the message when the page opens.
 */
export const Notice = ({
  kind = "good",
  title,
  isFocused = false,
  children,
}: {
  readonly kind?: "good" | "bad";
  readonly title?: string;
  readonly isFocused?: boolean;
  readonly children?: ComponentChildren;
}) => (
  <div
    class={kind === "bad" ? "notice bad" : "notice"}
    role={kind === "bad" ? "alert" : "status"}
    {...(isFocused ? { tabIndex: -1, autofocus: true } : {})}
  >
    {title && (
      <p>
        <strong>{title}</strong>
      </p>
    )}
    {children}
  </div>
);

/** What to do when a list is empty. */
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

/** Content to copy. The script shows the button. */
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

/** Code to copy. */
export const CodeBlock = ({ label, code }: { readonly label: string; readonly code: string }) => (
  <Copyable label={label}>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling content must be reachable with the keyboard */}
    <pre tabIndex={0}>
      <code>{code}</code>
    </pre>
  </Copyable>
);

/** A secret that is shown only once: one click selects it, and with JavaScript a button copies it. */
export const Secret = ({ label, value }: { readonly label: string; readonly value: string }) => (
  <Copyable label={label}>
    <code class="secret notranslate">{value}</code>
  </Copyable>
);

interface Column {
  readonly label: string;
  /** Numbers are aligned at the end. */
  readonly isNumber?: boolean;
}

const Cells = ({
  columns,
  cells,
}: {
  readonly columns: readonly Column[];
  readonly cells: readonly ComponentChildren[];
}) => (
  <>
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
  </>
);

/**
 * A table. The first cell of a row names it. On a narrow screen the table scrolls.
 *
 * @param isStacked shows the cells of a row below each other on phones.
 */
export const DataTable = ({
  caption,
  columns,
  rows,
  isStacked = false,
}: {
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  readonly isStacked?: boolean;
}) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling content must be reachable with the keyboard
  <section class="scroll" aria-label={caption} tabIndex={0}>
    <table class={isStacked ? "stacked" : undefined}>
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
        {rows.map((cells, index) => (
          <tr key={index}>
            <Cells columns={columns} cells={cells} />
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

/** Facts with their labels. */
export const Facts = ({ facts }: { readonly facts: readonly (readonly [string, ComponentChildren])[] }) => (
  <dl>
    {facts.map(([label, fact]) => (
      <Fragment key={label}>
        <dt>{label}</dt>
        <dd>{fact}</dd>
      </Fragment>
    ))}
  </dl>
);

/** Usage of a quota, in words and as a bar. */
export const Meter = ({
  label,
  used,
  limit,
  unit = "requests",
}: {
  readonly label: string;
  readonly used: number;
  readonly limit: number | null;
  readonly unit?: "requests" | "minutes";
}) => {
  const { texts, language } = useFrame();
  const number = numbersIn(language);
  const { usedOf, usedOfAny, minutesOf, minutesOfAny } = texts.usage;
  const [bounded, boundless] = unit === "requests" ? [usedOf, usedOfAny] : [minutesOf, minutesOfAny];
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

import { type ComponentChildren, Fragment } from "preact";
import { useFrame } from "./frame.ts";
import { Icon, type IconName } from "./icons.tsx";
import { MatPicture } from "./mat.tsx";

const noticeIcons: Readonly<Record<"good" | "warning" | "bad", IconName>> = {
  good: "success",
  warning: "warning",
  bad: "problem",
};

/**
 * A message at the top of a page or form.
 *
 * @param isFocused moves the focus, and so the visible part of the page, to the message when the page opens.
 * @param action a button next to the message.
 * @param icon what the message is about; by default how serious it is.
 */
export const Notice = ({
  kind = "good",
  title,
  isFocused = false,
  action,
  icon = noticeIcons[kind],
  children,
}: {
  readonly kind?: "good" | "warning" | "bad";
  readonly title?: string;
  readonly isFocused?: boolean;
  readonly icon?: IconName;
  readonly action?: ComponentChildren;
  readonly children?: ComponentChildren;
}) => (
  <div
    class={kind === "good" ? "notice" : `notice ${kind}`}
    role={kind === "bad" ? "alert" : "status"}
    {...(isFocused ? { tabIndex: -1, autofocus: true } : {})}
  >
    <Icon name={icon} />
    <div>
      {title && (
        <p>
          <strong>{title}</strong>
        </p>
      )}
      {children}
    </div>
    {action}
  </div>
);

/** The heading of a page, with one sentence and what the page is mostly for. */
export const PageHead = ({
  title,
  action,
  children,
}: {
  readonly title: ComponentChildren;
  readonly action?: ComponentChildren;
  readonly children?: ComponentChildren;
}) => (
  <div class="page-head">
    <div>
      <h1>{title}</h1>
      {children}
    </div>
    {action}
  </div>
);

/** The pages above this one. */
export const Trail = ({
  steps,
  children,
}: {
  readonly steps: readonly { readonly to: string; readonly label: string }[];
  readonly children: ComponentChildren;
}) => {
  const { texts, url } = useFrame();
  return (
    <nav class="trail" aria-label={texts.navigation.trail}>
      {steps.map(({ to, label }) => (
        <Fragment key={to}>
          <a href={url(to)}>{label}</a>
          <Icon name="next" />
        </Fragment>
      ))}
      <span aria-current="page">{children}</span>
    </nav>
  );
};

/** Pages that belong together, as tabs that are links. */
export const TabBar = ({
  label,
  tabs,
}: {
  readonly label: string;
  readonly tabs: readonly {
    readonly href: string;
    readonly label: string;
    readonly isCurrent: boolean;
    readonly icon?: IconName;
  }[];
}) => (
  <nav class="tab-bar" aria-label={label}>
    {tabs.map(({ href, label: words, isCurrent, icon }) => (
      <a key={href} href={href} aria-current={isCurrent ? "page" : undefined}>
        {icon && <Icon name={icon} />}
        {words}
      </a>
    ))}
  </nav>
);

/** A choice of few, as links. */
export const Segments = ({
  label,
  choices,
}: {
  readonly label: string;
  readonly choices: readonly { readonly href: string; readonly label: string; readonly isCurrent: boolean }[];
}) => (
  <nav class="segments" aria-label={label}>
    {choices.map(({ href, label: words, isCurrent }) => (
      <a key={href} href={href} aria-current={isCurrent ? "true" : undefined}>
        {words}
      </a>
    ))}
  </nav>
);

/** A state in a word or two. */
export const Badge = ({
  kind,
  icon,
  children,
}: {
  readonly kind?: "good" | "warning" | "bad" | "method";
  readonly icon?: IconName;
  readonly children: ComponentChildren;
}) => (
  <span class={kind === undefined ? "badge" : `badge ${kind}`}>
    {icon && <Icon name={icon} />}
    {children}
  </span>
);

/** What to do when a list is empty. */
export const EmptyState = ({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) => (
  <section class="card empty">
    <MatPicture />
    <h2>{title}</h2>
    {children}
  </section>
);

/** Copies what its `data-copied` block shows. The script shows the button. */
export const CopyButton = ({ look = "button" }: { readonly look?: string }) => {
  const { forms } = useFrame().texts;
  return (
    <button type="button" class={look} data-copy data-done={forms.copied} hidden>
      <Icon name="copy" />
      <span>{forms.copy}</span>
    </button>
  );
};

/** A secret that is shown only once: one click selects it, and with JavaScript a button copies it. */
export const Secret = ({ label, value }: { readonly label: string; readonly value: string }) => (
  <section class="secret" aria-label={label} data-copied>
    <code class="notranslate">{value}</code>
    <CopyButton look="button secondary" />
  </section>
);

interface Column {
  readonly label: string;
  /** Numbers are aligned at the end. */
  readonly isNumber?: boolean;
  /** What can be done with a row says so itself: a list on phones shows it without the label. */
  readonly isAction?: boolean;
}

const classOf = ({ isNumber = false, isAction = false }: Column): string | undefined =>
  isNumber ? "number" : isAction ? "action" : undefined;

const Cells = ({
  columns,
  cells,
}: {
  readonly columns: readonly Column[];
  readonly cells: readonly ComponentChildren[];
}) => (
  <>
    {columns.map((column, index) =>
      index === 0 ? (
        <th key={column.label} scope="row">
          {cells[index]}
        </th>
      ) : (
        <td key={column.label} class={classOf(column)} data-label={column.label}>
          {cells[index]}
        </td>
      ),
    )}
  </>
);

/**
 * A table. The first cell of a row names it. On a narrow screen the table scrolls.
 *
 * @param isStacked makes it a list on phones, each cell with the label of its column.
 */
export const DataTable = ({
  caption,
  columns,
  rows,
  isStacked = false,
  isCaptionShown = true,
}: {
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  readonly isStacked?: boolean;
  readonly isCaptionShown?: boolean;
}) => (
  <div class="card flush">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling content must be reachable with the keyboard */}
    <section class="scroll" aria-label={caption} tabIndex={0}>
      <table class={isStacked ? "stacked" : undefined}>
        <caption class={isCaptionShown ? undefined : "aloud"}>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.label} scope="col" class={classOf(column)}>
                {column.label}
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
    {!isStacked && <p class={columns.length > 2 ? "swipe many" : "swipe"}>{useFrame().texts.forms.swipe}</p>}
  </div>
);

/** Facts with their labels. */
export const Facts = ({ facts }: { readonly facts: readonly (readonly [string, ComponentChildren])[] }) => (
  <dl class="facts">
    {facts.map(([label, fact]) => (
      <Fragment key={label}>
        <dt>{label}</dt>
        <dd>{fact}</dd>
      </Fragment>
    ))}
  </dl>
);

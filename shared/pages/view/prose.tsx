import type { ComponentChildren } from "preact";
import { DataTable } from "./components.tsx";
import { useFrame } from "./frame.ts";

/** Code, a link or strong words in Markdown: `[words](/docs)`, `**words**`. */
const marked = /`([^`]+)`|\[([^\]]+)\]\(([^)]+)\)|\*\*([^*]+)\*\*/g;

interface Mark {
  readonly code: string | undefined;
  readonly strong: string | undefined;
  readonly words: string | undefined;
  readonly href: string;
  readonly target: string | undefined;
}

const Marked = ({ code, strong, words, href, target }: Mark) => {
  if (code !== undefined) return <code>{code}</code>;
  if (strong !== undefined) return <strong>{strong}</strong>;
  return (
    <a href={href} target={target}>
      {words}
    </a>
  );
};

/** A text in Markdown with code, links and strong words. Links to our own pages begin with a slash. */
export const Prose = ({
  text,
  opensTab = false,
}: {
  readonly text: string;
  /** Whether links leave this page open, because it has a form that is being filled in. */
  readonly opensTab?: boolean;
}) => {
  const { url } = useFrame();
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const { index, 0: whole, 1: code, 2: words, 3: target = "", 4: strong } of text.matchAll(marked)) {
    const href = target.startsWith("/") ? url(target) : target;
    parts.push(
      text.slice(end, index),
      <Marked key={index} {...{ code, strong, words, href }} target={opensTab ? "_blank" : undefined} />,
    );
    end = index + whole.length;
  }
  return (
    <>
      {parts}
      {text.slice(end)}
    </>
  );
};

/**
 * A table of texts.
 *
 * @param isStacked makes it a list on phones; by default when all rows are named by code, as in a list of fields.
 */
export const ProseTable = ({
  caption,
  columns,
  rows,
  isStacked = rows.every(([name]) => name?.startsWith("`")),
}: {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly isStacked?: boolean;
}) => (
  <DataTable
    caption={caption}
    columns={columns.map((label) => ({ label }))}
    rows={rows.map((cells) =>
      // One element: on phones, a cell is a row with the label of its column.
      cells.map(
        (cell) =>
          cell && (
            <span key={cell}>
              <Prose text={cell} />
            </span>
          ),
      ),
    )}
    isStacked={isStacked}
  />
);

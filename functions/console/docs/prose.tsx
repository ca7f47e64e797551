import type { ComponentChildren } from "preact";
import { DataTable } from "../view/components.tsx";
import { useFrame } from "../view/frame.ts";

/** Code or a link in Markdown: `[words](/docs)`. */
const marked = /`([^`]+)`|\[([^\]]+)\]\(([^)]+)\)/g;

/** A text in Markdown with code and links. Links to our own pages begin with a slash. */
export const Prose = ({ text }: { readonly text: string }) => {
  const { url } = useFrame();
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const { index, 0: whole, 1: code, 2: words, 3: target = "" } of text.matchAll(marked)) {
    parts.push(
      text.slice(end, index),
      code === undefined ? (
        <a key={index} href={target.startsWith("/") ? url(target) : target}>
          {words}
        </a>
      ) : (
        <code key={index}>{code}</code>
      ),
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

/** A table of texts. Phones stack its cells when all rows are named by code, as in a list of fields. */
export const ProseTable = ({
  caption,
  columns,
  rows,
}: {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}) => (
  <DataTable
    caption={caption}
    columns={columns.map((label) => ({ label }))}
    rows={rows.map((cells) => cells.map((cell) => <Prose key={cell} text={cell} />))}
    isStacked={rows.every(([name]) => name?.startsWith("`"))}
  />
);

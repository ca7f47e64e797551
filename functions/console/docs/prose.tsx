import type { ComponentChildren } from "preact";
import { useFrame } from "../view/frame.ts";

/** Code, or a link, within a text: `[words](/docs)` and what stands between backticks. */
const marked = /`([^`]+)`|\[([^\]]+)\]\(([^)]+)\)/g;

/** A line of text in which code and links are marked. Links to our own pages begin with a slash. */
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

/**
 * A table of words, code and links. The first cell of a row names it. Where these are all code, as in a list of fields, phones
 * show the cells of a row below each other.
 */
export const ProseTable = ({
  caption,
  columns,
  rows,
}: {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with the keyboard
  <section class="scroll" aria-label={caption} tabIndex={0}>
    <table class={rows.every(([name]) => name?.startsWith("`")) ? "stacked" : undefined}>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name = "", ...cells]) => (
          <tr key={[name, ...cells].join(" ")}>
            <th scope="row">
              <Prose text={name} />
            </th>
            {cells.map((cell, index) => (
              <td key={columns[index + 1]}>
                <Prose text={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

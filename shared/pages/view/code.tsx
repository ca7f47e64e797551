import bash from "highlight.js/lib/languages/bash";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import typescript from "highlight.js/lib/languages/typescript";
import { createLowlight } from "lowlight";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { CopyButton } from "./components.tsx";

let created: ReturnType<typeof createLowlight> | undefined;

/** Created for the first code that a page shows: a start needs none. */
const highlighter = () => {
  created ??= createLowlight({ bash, json, python, typescript });
  return created;
};

export type CodeLanguage = "bash" | "json" | "python" | "typescript";

/** The classes of the style sheet by those of the highlighter; anything else has the colour of text. */
const classes: Readonly<Record<string, string>> = {
  "hljs-keyword": "k",
  "hljs-built_in": "k",
  "hljs-literal": "n",
  "hljs-number": "n",
  "hljs-string": "s",
  "hljs-variable": "a",
  "hljs-attr": "a",
  "hljs-comment": "c",
};

type Highlighted = ReturnType<ReturnType<typeof highlighter>["highlight"]>["children"][number];

interface Piece {
  readonly text: string;
  readonly class: string | undefined;
}

const classOf = (names: unknown): string | undefined =>
  Array.isArray(names) ? names.map((name) => classes[String(name)]).find(Boolean) : undefined;

const piecesOf = (node: Highlighted, around?: string): Piece[] => {
  if (node.type === "text") return [{ text: node.value, class: around }];
  if (node.type !== "element") return [];
  const own = classOf(node.properties["className"]) ?? around;
  return node.children.flatMap((child) => piecesOf(child, own));
};

/** Splits coloured text into its lines. */
const linesOf = (pieces: readonly Piece[]): Piece[][] => {
  const lines: Piece[][] = [[]];
  for (const piece of pieces) {
    const [first = "", ...others] = piece.text.split("\n");
    if (first !== "") lines.at(-1)?.push({ ...piece, text: first });
    for (const text of others) lines.push(text === "" ? [] : [{ ...piece, text }]);
  }
  return lines;
};

interface ColouredProps {
  readonly code: string;
  readonly language: CodeLanguage;
  /** The lines to mark, counted from 1. */
  readonly changed?: readonly number[];
}

const Coloured = ({ code, language, changed = [] }: ColouredProps) => (
  <code>
    {linesOf(
      highlighter()
        .highlight(language, code)
        .children.flatMap((node) => piecesOf(node)),
    ).map((pieces, index) => (
      <span key={index} class={changed.includes(index + 1) ? "line changed" : "line"}>
        {pieces.map(({ text, class: name }, position) =>
          name === undefined ? (
            text
          ) : (
            <span key={position} class={name}>
              {text}
            </span>
          ),
        )}
        {"\n"}
      </span>
    ))}
  </code>
);

const Pre = (coloured: ColouredProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling content must be reachable with the keyboard
  <pre tabIndex={0}>
    <Coloured {...coloured} />
  </pre>
);

/**
 * Code to copy.
 *
 * @param language of the colours; a shell's by default.
 * @param changed the lines to mark, counted from 1.
 */
export const CodeBlock = ({
  label,
  code,
  language = "bash",
  changed,
  children,
}: Omit<ColouredProps, "language"> & {
  readonly label: ComponentChildren;
  readonly language?: CodeLanguage;
  readonly children?: ComponentChildren;
}) => (
  <figure class="code" data-copied>
    <figcaption class="code-bar">
      <span>{label}</span>
      <CopyButton />
    </figcaption>
    <Pre code={code} language={language} {...(changed ? { changed } : {})} />
    {children}
  </figure>
);

/** One of the tabs of {@link CodeTabs}. */
export interface CodeTab extends ColouredProps {
  readonly label: string;
  /** Names the tab where a script remembers it. */
  readonly id: string;
}

/** The same in several languages. The tabs are radio buttons, so they work without a script. */
export const CodeTabs = ({
  tabs,
  children,
}: {
  readonly tabs: readonly CodeTab[];
  readonly children?: ComponentChildren;
}) => {
  const group = useId();
  return (
    <div class="code tabs" data-copied>
      {tabs.map(({ id }, index) => (
        <input
          key={id}
          type="radio"
          name={group}
          id={`${group}-${id}`}
          value={id}
          checked={index === 0}
          data-tab
        />
      ))}
      <div class="code-bar">
        <div class="tab-labels">
          {tabs.map(({ id, label }) => (
            <label key={id} for={`${group}-${id}`}>
              {label}
            </label>
          ))}
        </div>
        <CopyButton />
      </div>
      <div class="panes">
        {tabs.map(({ id, label: _, ...coloured }) => (
          <div key={id} data-sample={id}>
            <Pre {...coloured} />
          </div>
        ))}
      </div>
      {children}
    </div>
  );
};

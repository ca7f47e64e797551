import type { VNode } from "preact";
import { CodeBlock } from "../../view/components.tsx";
import { useFrame } from "../../view/frame.ts";
import { Prose, ProseTable } from "../prose.tsx";
import type { Guide, GuidePart } from "./guide.ts";

/** Where the guides are listed. */
export const guidesPath = "/docs/guides";

/** Where a guide is. */
export const guidePath = (name: string): string => `${guidesPath}/${name}`;

/** What guides there are. */
export const GuideCards = ({ guides }: { readonly guides: readonly Guide[] }): VNode => {
  const { url } = useFrame();
  return (
    <ul class="cards">
      {guides.map(({ name, title, summary }) => (
        <li key={name} class="card">
          <p>
            <a href={url(guidePath(name))}>{title}</a>
          </p>
          <p class="soft">{summary}</p>
        </li>
      ))}
    </ul>
  );
};

/** The page that lists the guides. */
export const GuidesPage = ({ guides }: { readonly guides: readonly Guide[] }): VNode => {
  const { url } = useFrame();
  return (
    <article lang="en">
      <p>
        <a href={url("/docs")}>Documentation</a>
      </p>
      <h1>Guides</h1>
      <p>In the order in which somebody new needs them. Their commands can be pasted as they are.</p>
      <GuideCards guides={guides} />
    </article>
  );
};

const labels = { sh: "Shell", typescript: "TypeScript", python: "Python", output: "Answer" } as const;

const Part = ({ part }: { readonly part: GuidePart }) => {
  if ("heading" in part) return <h2>{part.heading}</h2>;
  if ("code" in part) return <CodeBlock label={labels[part.kind]} code={part.code} />;
  if ("rows" in part) return <ProseTable {...part} />;
  if ("list" in part) {
    return (
      <ul>
        {part.list.map((text) => (
          <li key={text}>
            <Prose text={text} />
          </li>
        ))}
      </ul>
    );
  }
  return (
    <p>
      <Prose text={part.text} />
    </p>
  );
};

/** The page of a guide. */
export const GuidePage = ({ guide, baseUrl }: { readonly guide: Guide; readonly baseUrl: string }): VNode => {
  const { url } = useFrame();
  return (
    <article lang="en">
      <p>
        <a href={url("/docs")}>Documentation</a> / <a href={url(guidesPath)}>Guides</a>
      </p>
      <h1>{guide.title}</h1>
      <p>{guide.summary}</p>
      {guide.parts(baseUrl).map((part, index) => (
        <Part key={index} part={part} />
      ))}
    </article>
  );
};

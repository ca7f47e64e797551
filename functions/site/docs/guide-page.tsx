import type { VNode } from "preact";
import { CodeBlock, type CodeLanguage } from "../../../shared/pages/view/code.tsx";
import { Trail } from "../../../shared/pages/view/components.tsx";
import { useFrame } from "../../../shared/pages/view/frame.ts";
import { Prose, ProseTable } from "../../../shared/pages/view/prose.tsx";
import { guidePath, guidesPath } from "./contents.ts";
import { clientLines, type Guide, type GuideLanguage, type GuidePart } from "./guides/guide.ts";

/** The list of guides. */
export const GuideCards = ({ guides }: { readonly guides: readonly Guide[] }): VNode => {
  const { url } = useFrame();
  return (
    <ul class="columns two guides">
      {guides.map(({ name, title, summary }) => (
        <li key={name} class="card">
          <a href={url(guidePath(name))}>{title}</a>
          <p class="soft small">{summary}</p>
        </li>
      ))}
    </ul>
  );
};

/** The page that lists the guides. */
export const GuidesPage = ({ guides }: { readonly guides: readonly Guide[] }): VNode => (
  <article lang="en" class="doc wide">
    <Trail steps={[{ to: "/docs", label: "Docs" }]}>Guides</Trail>
    <h1>Guides</h1>
    <p class="lead">
      You can paste all commands as they are. If you are new here, read the guides in this order.
    </p>
    <GuideCards guides={guides} />
  </article>
);

const labels: Readonly<Record<GuideLanguage, string>> = {
  sh: "Shell",
  typescript: "TypeScript",
  python: "Python",
  json: "Response",
  http: "Request",
  diff: "Change",
};

const colours: Readonly<Record<GuideLanguage, CodeLanguage>> = {
  sh: "bash",
  typescript: "typescript",
  python: "python",
  json: "json",
  http: "json",
  diff: "bash",
};

/** The lines that differ: from version 1, or from a program for another service. */
const changedLines = (language: GuideLanguage, code: string): number[] => {
  if (language !== "diff") return clientLines(code);
  return code.split("\n").flatMap((line, index) => (line.startsWith("+") ? [index + 1] : []));
};

const Code = ({ language, code }: { readonly language: GuideLanguage; readonly code: string }) => (
  <CodeBlock
    label={labels[language]}
    code={code}
    language={colours[language]}
    changed={changedLines(language, code)}
  />
);

/** A part of a guide or another page in Markdown. */
export const MarkdownPart = ({ part }: { readonly part: GuidePart }) => {
  if ("heading" in part) return <h2>{part.heading}</h2>;
  if ("code" in part) return <Code language={part.language} code={part.code} />;
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

/** The page of a guide. @param guide with the address of the service. */
export const GuidePage = ({ guide }: { readonly guide: Guide }): VNode => (
  <article lang="en" class="doc">
    <Trail
      steps={[
        { to: "/docs", label: "Docs" },
        { to: guidesPath, label: "Guides" },
      ]}
    >
      {guide.title}
    </Trail>
    <h1>{guide.title}</h1>
    <p class="lead">{guide.summary}</p>
    {guide.parts.map((part, index) => (
      <MarkdownPart key={index} part={part} />
    ))}
  </article>
);

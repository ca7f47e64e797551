import type { VNode } from "preact";
import { defaultVendors } from "../../../../shared/platform/config/vendors.ts";
import { CodeBlock } from "../../view/code.tsx";
import { useFrame } from "../../view/frame.ts";
import { Prose, ProseTable } from "../prose.tsx";
import { type Guide, type GuideLanguage, type GuidePart, withAddress } from "./guide.ts";

/** Where the guides are listed. */
export const guidesPath = "/docs/guides";

/** Where a guide is. */
export const guidePath = (name: string): string => `${guidesPath}/${name}`;

/** The list of guides. */
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
      <p>You can paste all commands as they are. If you are new here, read the guides in this order.</p>
      <GuideCards guides={guides} />
    </article>
  );
};

const labels: Readonly<Record<GuideLanguage, string>> = {
  sh: "Shell",
  typescript: "TypeScript",
  python: "Python",
  json: "Response",
  http: "Request",
  diff: "Change",
};

interface PartProps {
  readonly part: GuidePart;
  /** Fills in what differs between stages. */
  readonly fill: (text: string) => string;
}

const Part = ({ part, fill }: PartProps) => {
  if ("heading" in part) return <h2>{fill(part.heading)}</h2>;
  if ("code" in part) {
    return <CodeBlock label={labels[part.language]} code={fill(part.code)} />;
  }
  if ("rows" in part)
    return (
      <ProseTable {...part} caption={fill(part.caption)} rows={part.rows.map((cells) => cells.map(fill))} />
    );
  if ("list" in part) {
    return (
      <ul>
        {part.list.map((text) => (
          <li key={text}>
            <Prose text={fill(text)} />
          </li>
        ))}
      </ul>
    );
  }
  return (
    <p>
      <Prose text={fill(part.text)} />
    </p>
  );
};

/** The page of a guide. */
export const GuidePage = ({
  guide,
  baseUrl,
  vendors = defaultVendors,
}: {
  readonly guide: Guide;
  readonly baseUrl: string;
  readonly vendors?: typeof defaultVendors;
}): VNode => {
  const { url } = useFrame();
  const fill = (text: string): string => withAddress(text, baseUrl, vendors);
  return (
    <article lang="en">
      <p>
        <a href={url("/docs")}>Documentation</a> / <a href={url(guidesPath)}>Guides</a>
      </p>
      <h1>{guide.title}</h1>
      <p>{guide.summary}</p>
      {guide.parts.map((part, index) => (
        <Part key={index} part={part} fill={fill} />
      ))}
    </article>
  );
};

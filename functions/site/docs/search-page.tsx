import type { VNode } from "preact";
import { Badge, EmptyState, Trail } from "../../../shared/pages/view/components.tsx";
import { useFrame } from "../../../shared/pages/view/frame.ts";
import { Prose } from "../../../shared/pages/view/prose.tsx";
import { DocsSearch } from "../../../shared/pages/view/search.tsx";
import type { FoundPage } from "./search-index.ts";

/** The beginning of a longer description. */
const maxSummary = 160;

const shortened = (text: string): string =>
  text.length <= maxSummary ? text : `${text.slice(0, text.lastIndexOf(" ", maxSummary))}…`;

const Found = ({ path, title, summary, operation, isDeprecated }: FoundPage) => {
  const { url } = useFrame();
  return (
    <li>
      <a href={url(path)}>{title}</a>{" "}
      {operation ? (
        <span class="route">
          {isDeprecated && <Badge kind="bad">Deprecated</Badge>}{" "}
          <Badge kind="method">{operation.method}</Badge> <code>{operation.path}</code>
        </span>
      ) : (
        <Badge>Guide</Badge>
      )}
      {summary !== "" && (
        <p class="soft small">
          <Prose text={shortened(summary.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1").replaceAll("`", ""))} />
        </p>
      )}
    </li>
  );
};

/** The results of a search. @param found `undefined` before the first search. */
export const SearchPage = ({
  query,
  found,
}: {
  readonly query: string;
  readonly found: readonly FoundPage[];
}): VNode => {
  const { url } = useFrame();
  return (
    <article lang="en" class="doc wide">
      <Trail steps={[{ to: "/docs", label: "Docs" }]}>Search</Trail>
      <h1>{query === "" ? "Search the docs" : `Results for “${query}”`}</h1>
      <DocsSearch label="Search guides, operations, fields and error codes" query={query} />
      {query === "" || found.length > 0 ? (
        <ul class="operations">
          {found.map((page) => (
            <Found key={page.path} {...page} />
          ))}
        </ul>
      ) : (
        <EmptyState title="No page matches these words">
          <p>Try fewer or other words, such as the name of a field, a path or an error code.</p>
          <a class="button secondary" href={url("/docs")}>
            Browse all docs
          </a>
        </EmptyState>
      )}
    </article>
  );
};

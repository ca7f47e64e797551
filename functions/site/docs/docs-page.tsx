import type { ComponentChildren, VNode } from "preact";
import { useFrame } from "../../../shared/pages/view/frame.ts";
import { Icon } from "../../../shared/pages/view/icons.tsx";
import { Main } from "../../../shared/pages/view/layout.tsx";
import { DocsSearch } from "../../../shared/pages/view/search.tsx";
import { type ContentsEntry, type ContentsGroup, neighboursOf } from "./contents.ts";

interface ContentsProps {
  readonly contents: readonly ContentsGroup[];
  /** The path of the page that is shown. */
  readonly current: string;
}

const Entries = ({ group, current }: { readonly group: ContentsGroup; readonly current: string }) => {
  const { url } = useFrame();
  return (
    <ul>
      {group.entries.map(({ path, label }) => (
        <li key={path}>
          <a href={url(path)} aria-current={path === current ? "page" : undefined}>
            {label}
          </a>
        </li>
      ))}
    </ul>
  );
};

const Groups = ({ contents, current }: ContentsProps) => (
  <>
    {contents.map((group) =>
      group.isFolded ? (
        <details key={group.title} open={group.entries.some(({ path }) => path === current)}>
          <summary class="group">
            {group.title} <span class="badge">{group.entries.length}</span>
            <Icon name="next" />
          </summary>
          <Entries group={group} current={current} />
        </details>
      ) : (
        <div key={group.title}>
          <p class="group">{group.title}</p>
          <Entries group={group} current={current} />
        </div>
      ),
    )}
  </>
);

const Neighbour = ({ label, entry }: { readonly label: string; readonly entry: ContentsEntry }) => {
  const { url } = useFrame();
  return (
    <a class={label.toLowerCase()} href={url(entry.path)}>
      <span>{label}</span> {entry.label}
    </a>
  );
};

const Neighbours = ({ contents, current }: ContentsProps) => {
  const { previous, next } = neighboursOf(contents, current);
  if (!previous && !next) return null;
  return (
    <nav class="neighbours" aria-label="Previous and next page">
      {previous && <Neighbour label="Previous" entry={previous} />}
      {next && <Neighbour label="Next" entry={next} />}
    </nav>
  );
};

/** A page of the documentation: all other pages next to it, which narrow screens fold, and the two neighbours below. */
export const DocsPage = ({
  children,
  ...props
}: ContentsProps & { readonly children: ComponentChildren }): VNode => (
  <div class="docs">
    <nav class="contents" aria-label="All docs" lang="en">
      <Groups {...props} />
    </nav>
    <Main>
      <details class="fold" lang="en">
        <summary>
          <Icon name="docs" />
          All docs
          <Icon name="next" />
        </summary>
        <div>
          <DocsSearch />
          <nav class="contents" aria-label="All docs">
            <Groups {...props} />
          </nav>
        </div>
      </details>
      {children}
      <Neighbours {...props} />
    </Main>
  </div>
);

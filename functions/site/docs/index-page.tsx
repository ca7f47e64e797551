import type { VNode } from "preact";
import { Badge } from "../../../shared/pages/view/components.tsx";
import { useFrame } from "../../../shared/pages/view/frame.ts";
import { Icon } from "../../../shared/pages/view/icons.tsx";
import { anchorOf, guidePath, operationPath } from "./contents.ts";
import { GuideCards } from "./guide-page.tsx";
import type { Guide } from "./guides/guide.ts";
import type { ReferenceOperation, ReferenceSection } from "./reference.ts";

const Operations = ({ operations }: { readonly operations: readonly ReferenceOperation[] }) => {
  const { url } = useFrame();
  return (
    <ul class="operations">
      {operations.map(({ id, method, path, summary }) => (
        <li key={id}>
          <a href={url(operationPath(id))}>{summary}</a>{" "}
          <span class="route">
            <Badge kind="method">{method}</Badge> <code>{path}</code>
          </span>
        </li>
      ))}
    </ul>
  );
};

const Section = ({ name, operations }: ReferenceSection) => {
  const list = <Operations operations={operations} />;
  const heading = <h2 id={anchorOf(name)}>{name}</h2>;
  return (
    <section aria-labelledby={anchorOf(name)}>
      {heading}
      {operations.every(({ isDeprecated }) => isDeprecated) ? (
        <details class="fold">
          <summary>
            {operations.length} operations of version 1
            <Icon name="next" />
          </summary>
          <div>{list}</div>
        </details>
      ) : (
        list
      )}
    </section>
  );
};

/** The home page of the documentation: guides, and all operations by section. */
export const DocumentationIndex = ({
  sections,
  guides,
}: {
  readonly sections: readonly ReferenceSection[];
  readonly guides: readonly Guide[];
}): VNode => {
  const { url } = useFrame();
  return (
    <article lang="en" class="doc wide">
      <h1>Documentation</h1>
      <p class="lead">
        An HTTP API for African, mainly Ugandan, languages: translation, speech, transcription and chat.
      </p>
      <p class="row">
        <a class="button" href={url(guidePath("first-call"))}>
          Make your first request
        </a>
        <a class="button secondary" href={url(guidePath("openai-sdk"))}>
          Use the OpenAI SDK
        </a>
      </p>
      <h2 id="guides">Guides</h2>
      <GuideCards guides={guides} />
      {sections.map((section) => (
        <Section key={section.name} {...section} />
      ))}
      <h2 id="programs">For programs</h2>
      <p>
        <a href={url("/openapi.json")}>The OpenAPI document</a> describes every operation.{" "}
        <a href={url("/llms.txt")}>llms.txt</a> lists these pages for language models, and{" "}
        <a href={url("/llms-full.txt")}>llms-full.txt</a> contains them. Each page also exists as Markdown:
        add <code>.md</code> to its address.
      </p>
    </article>
  );
};

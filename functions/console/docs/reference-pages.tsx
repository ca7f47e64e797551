import type { VNode } from "preact";
import { CodeBlock, Notice } from "../view/components.tsx";
import { useFrame } from "../view/frame.ts";
import type { FieldRow } from "./describe-fields.ts";
import type { Guide } from "./guides/guide.ts";
import { GuideCards, guidePath } from "./guides/guide-page.tsx";
import { Prose, ProseTable } from "./prose.tsx";
import type { ReferenceOperation, ReferenceSection } from "./reference.ts";

/** Where an operation is described. */
export const operationPath = (id: string): string => `/docs/${id}`;

/** By which a section is found within its page. */
const anchorOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

/** The first page of the documentation: guides, and all operations by section. */
export const DocumentationIndex = ({
  sections,
  guides,
}: {
  readonly sections: readonly ReferenceSection[];
  readonly guides: readonly Guide[];
}): VNode => {
  const { url } = useFrame();
  return (
    <article lang="en">
      <h1>Documentation</h1>
      <p>
        An HTTP API for African, mainly Ugandan, languages: translation, speech, transcription, chat. Begin
        with <a href={url(guidePath("first-call"))}>the first call</a>, look operations up below, or try them
        in <a href={url("/docs/explorer")}>the explorer</a>. Programs read{" "}
        <a href={url("/openapi.json")}>the OpenAPI document</a> or <a href={url("/llms.txt")}>llms.txt</a>.
      </p>
      <h2 id="guides">Guides</h2>
      <GuideCards guides={guides} />
      {sections.map(({ name, operations }) => (
        <section key={name} aria-labelledby={anchorOf(name)}>
          <h2 id={anchorOf(name)}>{name}</h2>
          <ul>
            {operations.map(({ id, method, path, summary }) => (
              <li key={id}>
                <a href={url(operationPath(id))}>{summary}</a>{" "}
                <code class="soft">
                  {method} {path}
                </code>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </article>
  );
};

const Fields = ({ caption, rows }: { readonly caption: string; readonly rows: readonly FieldRow[] }) =>
  rows.length === 0 ? null : (
    <ProseTable
      caption={caption}
      columns={["Field", "Type", "Meaning"]}
      rows={rows.map(({ name, type, isRequired, description }) => [
        `\`${name}\``,
        isRequired ? type : `${type}, optional`,
        description,
      ])}
    />
  );

const callers: Readonly<Record<ReferenceOperation["token"], string>> = {
  needed: "Needs a token or a key, as `Authorization: Bearer …`.",
  optional: "Needs no token. With one, what is made belongs to the account.",
  none: "Needs no token.",
};

const whoMayCall = ({ token, scope }: ReferenceOperation): string => {
  if (token !== "needed") return callers[token];
  if (scope === undefined)
    return "Needs a token of the account, as `Authorization: Bearer …`; no key may call it.";
  return scope === "any"
    ? callers.needed
    : `${callers.needed} A key needs the scope \`${scope}\`, or none at all.`;
};

const Samples = ({ operation }: { readonly operation: ReferenceOperation }) => {
  const { curl, typescript, python } = operation.samples;
  return (
    <>
      {operation.token === "needed" && (
        <p>
          <Prose text="`TOKEN` is an access token or a key: [how to get one](/docs/guides/keys)." />
        </p>
      )}
      <CodeBlock label="curl" code={curl} />
      <details>
        <summary>TypeScript</summary>
        <CodeBlock label="TypeScript, Node 20 and newer" code={typescript} />
      </details>
      <details>
        <summary>Python</summary>
        <CodeBlock label="Python, with requests" code={python} />
      </details>
    </>
  );
};

const ResponseReference = ({ operation }: { readonly operation: ReferenceOperation }) => (
  <>
    <p>
      <code>{operation.status}</code> {operation.responseDescription}
    </p>
    {operation.responses.map(({ contentType, text }) =>
      text === undefined ? (
        <p key={contentType}>
          <code>{contentType}</code>
        </p>
      ) : (
        <CodeBlock key={contentType} label={contentType} code={text} />
      ),
    )}
    <Fields caption="Fields of the answer" rows={operation.responseFields} />
  </>
);

/** The page of one operation. */
export const OperationPage = ({
  operation,
  successor,
}: {
  readonly operation: ReferenceOperation;
  /** What takes the place of a deprecated operation. */
  readonly successor: ReferenceOperation | undefined;
}): VNode => {
  const { url } = useFrame();
  const { section, method, path, summary, description, parameters, requestTypes, requestFields } = operation;
  return (
    <article lang="en">
      <p>
        <a href={url("/docs")}>Documentation</a> / <a href={url(`/docs#${anchorOf(section)}`)}>{section}</a>
      </p>
      <h1>{summary}</h1>
      <p>
        <strong>
          <code>
            {method} {path}
          </code>
        </strong>
      </p>
      {operation.isDeprecated && (
        <Notice kind="bad" title="Deprecated">
          <p>
            It is kept for programs of version 1.
            {successor && (
              <Prose
                text={` In its place use [${successor.method} ${successor.path}](${operationPath(successor.id)}).`}
              />
            )}
          </p>
        </Notice>
      )}
      {description !== "" && (
        <p>
          <Prose text={description} />
        </p>
      )}
      <p>
        <Prose text={whoMayCall(operation)} />
      </p>
      <h2>Request</h2>
      <Samples operation={operation} />
      {parameters.length > 0 && (
        <ProseTable
          caption="In the address and the headers"
          columns={["Name", "Where", "Type", "Meaning"]}
          rows={parameters.map(({ name, location, type, isRequired, description: meaning }) => [
            `\`${name}\``,
            location,
            isRequired ? type : `${type}, optional`,
            meaning,
          ])}
        />
      )}
      {requestTypes.length > 0 && (
        <p>
          <Prose text={`The body is sent as ${requestTypes.map((type) => `\`${type}\``).join(" or ")}.`} />
        </p>
      )}
      <Fields caption="Fields of the request" rows={requestFields} />
      <h2>Answer</h2>
      <ResponseReference operation={operation} />
      <h2>Errors</h2>
      <p>
        <Prose text="What an error looks like, and what to do about it: [errors](/docs/guides/errors)." />
      </p>
      <ProseTable
        caption="What can go wrong"
        columns={["Code", "Status", "Sentence"]}
        rows={operation.errors.map(({ code, status, sentence }) => [`\`${code}\``, status, sentence])}
      />
    </article>
  );
};

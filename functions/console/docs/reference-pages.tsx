import type { VNode } from "preact";
import { CodeBlock } from "../view/code.tsx";
import { Notice } from "../view/components.tsx";
import { useFrame } from "../view/frame.ts";
import type { FieldRow } from "./describe-fields.ts";
import type { Guide } from "./guides/guide.ts";
import { GuideCards, guidePath } from "./guides/guide-page.tsx";
import { Prose, ProseTable } from "./prose.tsx";
import type { ReferenceOperation, ReferenceSection } from "./reference.ts";

/** The path of an operation's page. */
export const operationPath = (id: string): string => `/docs/${id}`;

/** The anchor of a section. */
const anchorOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

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
    <article lang="en">
      <h1>Documentation</h1>
      <p>
        An HTTP API for African, mainly Ugandan, languages: translation, speech, transcription and chat. Start
        with <a href={url(guidePath("first-call"))}>your first request</a>, look up an operation below, or try
        it in <a href={url("/docs/explorer")}>the API explorer</a>. For tools, there are{" "}
        <a href={url("/openapi.json")}>the OpenAPI document</a> and <a href={url("/llms.txt")}>llms.txt</a>.
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
      columns={["Field", "Type", "Description"]}
      rows={rows.map((row) => [`\`${row.name}\``, optionalType(row), row.description])}
    />
  );

const callers: Readonly<Record<ReferenceOperation["token"], string>> = {
  needed: "Requires a token or a key, sent as `Authorization: Bearer …`.",
  optional: "Does not require a token. With a token, your account owns the result.",
  none: "Does not require a token.",
};

const whoMayCall = ({ token, scope }: ReferenceOperation): string => {
  if (token !== "needed") return callers[token];
  if (scope === undefined)
    return "Requires an access token, sent as `Authorization: Bearer …`. Keys cannot call this operation.";
  return scope === "any"
    ? callers.needed
    : `${callers.needed} A key with scopes needs the scope \`${scope}\`.`;
};

const Samples = ({ operation }: { readonly operation: ReferenceOperation }) => {
  const { curl, typescript, python } = operation.samples;
  return (
    <>
      {operation.token === "needed" && (
        <p>
          <Prose text="Replace `TOKEN` with an access token or a key: [how to get one](/docs/guides/keys)." />
        </p>
      )}
      <CodeBlock label="curl" code={curl} />
      <details>
        <summary>TypeScript</summary>
        <CodeBlock label="TypeScript for Node 20 or newer" code={typescript} />
      </details>
      <details>
        <summary>Python</summary>
        <CodeBlock label="Python with requests" code={python} />
      </details>
    </>
  );
};

const Heading = ({ operation, successor }: OperationProps) => {
  const { section, method, path, summary, description, isDeprecated } = operation;
  const { url } = useFrame();
  return (
    <>
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
      {isDeprecated && (
        <Notice kind="bad" title="Deprecated">
          <p>
            <Prose text="This exists for programs that use [version 1](/docs/guides/from-v1)." />
            {successor && (
              <Prose
                text={` Use [${successor.method} ${successor.path}](${operationPath(successor.id)}) instead.`}
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
    </>
  );
};

const optionalType = ({ type, isRequired }: FieldRow): string => (isRequired ? type : `${type}, optional`);

const Request = ({ operation }: { readonly operation: ReferenceOperation }) => {
  const { parameters, requestTypes, requestFields } = operation;
  return (
    <>
      <h2>Request</h2>
      <Samples operation={operation} />
      {parameters.length > 0 && (
        <ProseTable
          caption="Parameters"
          columns={["Name", "In", "Type", "Description"]}
          rows={parameters.map((row) => [
            `\`${row.name}\``,
            row.location,
            optionalType(row),
            row.description,
          ])}
        />
      )}
      {requestTypes.length > 0 && (
        <p>
          <Prose text={`Send the body as ${requestTypes.map((type) => `\`${type}\``).join(" or ")}.`} />
        </p>
      )}
      <Fields caption="Request fields" rows={requestFields} />
    </>
  );
};

const Response = ({ operation }: { readonly operation: ReferenceOperation }) => (
  <>
    <h2>Response</h2>
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
    <Fields caption="Response fields" rows={operation.responseFields} />
  </>
);

interface OperationProps {
  readonly operation: ReferenceOperation;
  /** The replacement of a deprecated operation. */
  readonly successor: ReferenceOperation | undefined;
}

/** The page of one operation. */
export const OperationPage = (props: OperationProps): VNode => {
  const { operation } = props;
  return (
    <article lang="en">
      <Heading {...props} />
      <Request operation={operation} />
      <Response operation={operation} />
      <h2>Errors</h2>
      <p>
        <Prose text="The [errors](/docs/guides/errors) guide shows their format and when to retry." />
      </p>
      <ProseTable
        caption="Possible errors"
        columns={["Code", "Status", "Meaning"]}
        rows={operation.errors.map(({ code, status, sentence }) => [`\`${code}\``, status, sentence])}
      />
    </article>
  );
};

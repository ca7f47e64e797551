import type { VNode } from "preact";
import { CodeBlock, type CodeTab, CodeTabs } from "../../../shared/pages/view/code.tsx";
import { Badge, Notice, Trail } from "../../../shared/pages/view/components.tsx";
import { useFrame } from "../../../shared/pages/view/frame.ts";
import { Icon } from "../../../shared/pages/view/icons.tsx";
import { Prose } from "../../../shared/pages/view/prose.tsx";
import { anchorOf, operationPath } from "./contents.ts";
import { Errors, Fields } from "./fields.tsx";
import { clientLines } from "./guides/guide.ts";
import type { ReferenceOperation } from "./reference.ts";
import { playgroundPathOf, TryOperation } from "./try-operation.tsx";
import { textsOfOperation } from "./write-operation.ts";

interface OperationProps {
  readonly operation: ReferenceOperation;
  /** The replacement of a deprecated operation. */
  readonly successor: ReferenceOperation | undefined;
}

const Deprecation = ({ successor }: Pick<OperationProps, "successor">) => (
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
);

const Head = ({ operation, successor }: OperationProps) => {
  const { section, method, path, summary, isDeprecated } = operation;
  const { lead, rest } = textsOfOperation(operation);
  return (
    <div class="doc-head">
      <Trail
        steps={[
          { to: "/docs", label: "Docs" },
          { to: `/docs#${anchorOf(section)}`, label: section },
        ]}
      >
        {summary}
      </Trail>
      <h1>{summary}</h1>
      <p class="address">
        <Badge kind="method">{method}</Badge> <code>{path}</code>
      </p>
      {isDeprecated && <Deprecation successor={successor} />}
      {lead !== "" && (
        <p class="lead">
          <Prose text={lead} />
        </p>
      )}
      {rest !== "" && (
        <p>
          <Prose text={rest} />
        </p>
      )}
    </div>
  );
};

const tabsOf = ({ samples, openAi }: ReferenceOperation): CodeTab[] => [
  { id: "curl", label: "curl", language: "bash", code: samples.curl },
  { id: "typescript", label: "TypeScript", language: "typescript", code: samples.typescript },
  { id: "python", label: "Python", language: "python", code: samples.python },
  ...(openAi
    ? [
        {
          id: "openai-node",
          label: "OpenAI Node",
          language: "typescript" as const,
          code: openAi.node,
          changed: clientLines(openAi.node),
        },
        {
          id: "openai-python",
          label: "OpenAI Python",
          language: "python" as const,
          code: openAi.python,
          changed: clientLines(openAi.python),
        },
      ]
    : []),
];

const Samples = ({ operation }: { readonly operation: ReferenceOperation }) => {
  const { url } = useFrame();
  const inPlayground = playgroundPathOf(operation);
  return (
    <div class="doc-code">
      <CodeTabs tabs={tabsOf(operation)}>
        <p class="code-foot">
          <span>{operation.token === "needed" ? "Runs with your own key" : "Runs without a key"}</span>
          <a class="button small try" href={inPlayground === undefined ? "#try" : url(inPlayground)}>
            <Icon name="play" />
            Try it
          </a>
        </p>
      </CodeTabs>
      {operation.responses.map(({ contentType, text }) =>
        text === undefined ? null : (
          <CodeBlock
            key={contentType}
            label={
              <>
                <Badge kind="method">{operation.status}</Badge> {contentType}
              </>
            }
            language={contentType === "application/json" ? "json" : "bash"}
            code={text}
          />
        ),
      )}
    </div>
  );
};

const locations = [
  ["path", "Path parameters"],
  ["query", "Query parameters"],
  ["header", "Headers"],
] as const;

const Request = ({ operation }: { readonly operation: ReferenceOperation }) => {
  const { parameters, requestFields } = operation;
  return (
    <>
      <h2>Request</h2>
      {textsOfOperation(operation).request.map((text) => (
        <p key={text}>
          <Prose text={text} />
        </p>
      ))}
      {locations.map(([location, title]) => (
        <Fields
          key={location}
          title={title}
          rows={parameters.filter((row) => row.location === location)}
          isSent
        />
      ))}
      <Fields title="Body" rows={requestFields} isSent />
    </>
  );
};

/** The page of one operation. */
export const OperationPage = (props: OperationProps): VNode => {
  const { operation } = props;
  return (
    <article lang="en" class="doc with-code">
      <Head {...props} />
      <Samples operation={operation} />
      <div class="doc-body">
        <Request operation={operation} />
        <h2>Response</h2>
        <p>
          <Prose text={textsOfOperation(operation).response} />
        </p>
        <Fields title="Fields" rows={operation.responseFields} />
        <h2>Errors</h2>
        <p>
          <Prose text="The guide [Errors](/docs/guides/errors) shows their format and when to retry." />
        </p>
        <Errors errors={operation.errors} />
        {playgroundPathOf(operation) === undefined && <TryOperation operation={operation} />}
      </div>
    </article>
  );
};

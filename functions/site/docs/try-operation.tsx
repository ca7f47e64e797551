import type { ComponentChildren, VNode } from "preact";
import { useId } from "preact/hooks";
import * as z from "zod";
import { docsTokenPath } from "../../../shared/pages/server/links.ts";
import { useFrame } from "../../../shared/pages/view/frame.ts";
import type { ReferenceOperation } from "./reference.ts";

const texts = z.record(z.string(), z.unknown()).transform((record) => {
  const entries = Object.entries(record).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as const] : [],
  );
  return Object.fromEntries(entries);
});

const conversation = z.object({ messages: z.array(z.object({ content: z.string() })) });

type Values = Readonly<Record<string, string | undefined>>;

/** The playground's values for the operations that it has, from the example's body. */
const attempts: Readonly<
  Record<string, { readonly name: string; readonly values: (body: Values) => Values }>
> = {
  translate: {
    name: "translate",
    values: ({ source_language: source, target_language: target, text }) => ({ source, target, text }),
  },
  createChatCompletion: { name: "chat", values: ({ text }) => ({ text }) },
  synthesizeSpeech: { name: "speak", values: ({ language, text }) => ({ language, text }) },
  createTranscription: { name: "transcribe", values: ({ language }) => ({ language }) },
  classifyLanguage: { name: "identify", values: ({ text }) => ({ text }) },
};

const valuesOf = ({ request: { body } }: ReferenceOperation): Values => {
  if (body?.kind !== "json") return body?.fields ?? {};
  const [first] = conversation.safeParse(body.value).data?.messages ?? [];
  return { ...texts.safeParse(body.value).data, ...(first ? { text: first.content } : {}) };
};

/** The playground with the values of the example; `undefined` for operations that it does not have. */
export const playgroundPathOf = (operation: ReferenceOperation): string | undefined => {
  const attempt = attempts[operation.id];
  if (!attempt) return undefined;
  const query = new URLSearchParams({ try: attempt.name });
  for (const [name, value] of Object.entries(attempt.values(valuesOf(operation))))
    if (value !== undefined) query.set(name, value);
  return `/console/playground?${query}`;
};

const Field = ({
  label,
  hint,
  children,
}: {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly children: (id: string) => ComponentChildren;
}) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id)}
      {hint && <p class="hint">{hint}</p>}
    </div>
  );
};

/** An input whose `data-in` says to the script where in the request its value belongs. */
const Input = ({
  name,
  location,
  value = "",
  hint,
}: {
  readonly name: string;
  readonly location: "path" | "query" | "field" | "file" | "key";
  readonly value?: string | undefined;
  readonly hint?: string | undefined;
}) => {
  const isSecret = location === "key" || name.includes("password");
  const given =
    location === "file"
      ? ({ type: "file" } as const)
      : isSecret
        ? ({ type: "password" } as const)
        : ({ type: "text", value } as const);
  return (
    <Field label={name} hint={hint}>
      {(id) => <input id={id} name={name} data-in={location} autocomplete="off" {...given} />}
    </Field>
  );
};

const Body = ({ request: { body } }: ReferenceOperation) => {
  if (!body) return null;
  if (body.kind === "json") {
    const text = JSON.stringify(body.value, null, 2);
    return (
      <Field label="Body">
        {(id) => (
          <textarea id={id} data-in="body" rows={text.split("\n").length + 1} spellcheck={false}>
            {text}
          </textarea>
        )}
      </Field>
    );
  }
  return (
    <>
      {body.kind === "files" && <Input name={body.file.field} location="file" />}
      {Object.entries(body.fields).map(([name, value]) => (
        <Input key={name} name={name} location="field" value={value} />
      ))}
    </>
  );
};

const Parameters = ({ parameters, request }: ReferenceOperation) => {
  const query = new URL(request.url).searchParams;
  return (
    <>
      {parameters.map(({ name, location, isRequired }) =>
        location === "path" || location === "query" ? (
          <Input
            key={name}
            name={name}
            location={location}
            value={query.get(name) ?? ""}
            hint={isRequired ? undefined : "Optional"}
          />
        ) : null,
      )}
    </>
  );
};

const Credential = ({ token, scope }: ReferenceOperation) => {
  if (token === "none") return null;
  if (scope === undefined) return <Input name="Access token" location="key" />;
  return (
    <>
      <Input name="API key or access token" location="key" />
      <p class="hint" data-account-hint="Leave blank to use your account, {username}" hidden />
    </>
  );
};

const Result = () => (
  <figure class="code" data-result data-copied hidden>
    <figcaption class="code-bar">
      <span role="status" data-status />
    </figcaption>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling content must be reachable with the keyboard */}
    <pre tabIndex={0}>
      <code />
    </pre>
    {/* biome-ignore lint/a11y/useMediaCaption: the audio is what the reader has just requested */}
    <audio controls hidden />
  </figure>
);

/** A form that sends the request from the reader's browser, for operations that the playground does not have. */
export const TryOperation = ({ operation }: { readonly operation: ReferenceOperation }): VNode => {
  const { url, sessionUrl } = useFrame();
  const { request, path, scope } = operation;
  return (
    <section aria-labelledby="try">
      <h2 id="try">Try it</h2>
      <noscript>
        <p>This form requires JavaScript. The code does the same in a terminal.</p>
      </noscript>
      <form
        class="card"
        hidden
        data-request={request.method}
        data-path={url(path)}
        data-kind={request.body?.kind}
        data-token-url={scope === undefined ? undefined : url(docsTokenPath)}
        data-session-url={scope === undefined ? undefined : sessionUrl}
      >
        <Credential {...operation} />
        <Parameters {...operation} />
        <Body {...operation} />
        <button type="submit" class={request.method === "DELETE" ? "button danger" : "button"}>
          Send request
        </button>
      </form>
      <Result />
    </section>
  );
};

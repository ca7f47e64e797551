import { type ComponentChildren, createElement, toChildArray } from "preact";
import { Notice } from "./components.tsx";
import { useFrame } from "./frame.ts";

/** What is wrong with what was typed, in words, by the names of fields. */
export type FieldProblems = Readonly<Record<string, string | undefined>>;

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly problem?: string | undefined;
  readonly value?: string | undefined;
  readonly isOptional?: boolean;
}

const describedBy = (name: string, { hint, problem }: Pick<FieldProps, "hint" | "problem">) =>
  [hint && `${name}-hint`, problem && `${name}-problem`].filter(Boolean).join(" ") || undefined;

const Explanation = ({ name, hint, problem }: Pick<FieldProps, "name" | "hint" | "problem">) => (
  <>
    {hint && (
      <p class="hint" id={`${name}-hint`}>
        {hint}
      </p>
    )}
    {problem && (
      <p class="error" id={`${name}-problem`}>
        {problem}
      </p>
    )}
  </>
);

const Label = ({ name, label, isOptional }: Pick<FieldProps, "name" | "label" | "isOptional">) => {
  const { texts } = useFrame();
  return (
    <label for={name}>
      {label} {isOptional && <span class="soft">{texts.forms.optional}</span>}
    </label>
  );
};

/** A line to type into, with its label, a hint, and what is wrong with it. A password is never shown again. */
export const Field = ({
  type = "text",
  autocomplete,
  inputmode,
  minlength,
  maxlength,
  ...field
}: FieldProps & {
  readonly type?: "text" | "email" | "password" | "number" | "date";
  readonly autocomplete?: string;
  readonly inputmode?: "numeric" | "email" | "text";
  readonly minlength?: number;
  readonly maxlength?: number;
}) => {
  const { name, problem, value, isOptional = false } = field;
  return (
    <div class={problem ? "field wrong" : "field"}>
      <Label {...field} />
      <Explanation {...field} />
      {createElement("input", {
        id: name,
        name,
        type,
        value: type === "password" ? undefined : value,
        required: !isOptional,
        autocomplete,
        inputMode: inputmode,
        minLength: minlength,
        maxLength: maxlength,
        spellcheck: false,
        autocapitalize: type === "text" ? undefined : "none",
        "aria-describedby": describedBy(name, field),
        "aria-invalid": problem ? "true" : undefined,
      })}
    </div>
  );
};

/** Room for several lines of text. */
export const TextArea = ({ rows = 5, ...field }: FieldProps & { readonly rows?: number }) => {
  const { name, problem, value, isOptional = false } = field;
  return (
    <div class={problem ? "field wrong" : "field"}>
      <Label {...field} />
      <Explanation {...field} />
      <textarea
        id={name}
        name={name}
        rows={rows}
        required={!isOptional}
        aria-describedby={describedBy(name, field)}
        aria-invalid={problem ? "true" : undefined}
      >
        {value}
      </textarea>
    </div>
  );
};

interface Option {
  readonly value: string;
  readonly label: string;
}

/** One of several values. */
export const Select = ({ options, ...field }: FieldProps & { readonly options: readonly Option[] }) => {
  const { name, problem, value, isOptional = false } = field;
  return (
    <div class={problem ? "field wrong" : "field"}>
      <Label {...field} />
      <Explanation {...field} />
      <select
        id={name}
        name={name}
        required={!isOptional}
        aria-describedby={describedBy(name, field)}
        aria-invalid={problem ? "true" : undefined}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  );
};

/** Any number of several values; each that is chosen is sent under the same name. */
export const Choices = ({
  name,
  label,
  hint,
  problem,
  options,
  chosen,
}: Omit<FieldProps, "value" | "isOptional"> & {
  readonly options: readonly Option[];
  readonly chosen: readonly string[];
}) => (
  <fieldset class={problem ? "wrong" : undefined} aria-describedby={describedBy(name, { hint, problem })}>
    <legend>{label}</legend>
    <Explanation name={name} hint={hint} problem={problem} />
    {options.map(({ value, label: words }) => (
      <label key={value}>
        <input type="checkbox" name={name} value={value} checked={chosen.includes(value)} />
        {words}
      </label>
    ))}
  </fieldset>
);

/** What a field of a form is called, as far as the form holds it itself. */
const labelOf = (name: string, children: ComponentChildren): string | undefined => {
  for (const child of toChildArray(children)) {
    const props = typeof child === "object" ? child.props : {};
    if (!("name" in props && "label" in props) || props.name !== name) continue;
    if (typeof props.label === "string") return props.label;
  }
  return undefined;
};

/**
 * A form of the console: it goes to one of our paths and carries what proves that we have shown it.
 *
 * @param problems of its fields; said once more above it, with links to the fields, for those who see one line at a time.
 */
export const Form = ({
  to,
  submit,
  look = "button",
  action,
  refusal,
  problems = {},
  children,
}: {
  readonly to: string;
  readonly submit: string;
  readonly look?: "button" | "quiet" | "danger";
  /** Which of the page's forms it is. */
  readonly action?: string;
  /** What is wrong with all of it. */
  readonly refusal?: string | undefined;
  readonly problems?: FieldProblems;
  readonly children?: ComponentChildren;
}) => {
  const { url, formToken, texts } = useFrame();
  const wrong = Object.entries(problems).filter(([, problem]) => problem !== undefined);
  return (
    <form method="post" action={url(to)} noValidate>
      {refusal !== undefined && <Notice kind="bad">{refusal}</Notice>}
      {wrong.length > 0 && (
        <Notice kind="bad" title={texts.forms.problems}>
          <ul>
            {wrong.map(([name, problem]) => (
              <li key={name}>
                <a href={`#${name}`}>{labelOf(name, children) ?? texts.forms.here}</a>: {problem}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <input type="hidden" name="form_token" value={formToken} />
      {action !== undefined && <input type="hidden" name="action" value={action} />}
      {children}
      <button type="submit" class={look}>
        {submit}
      </button>
    </form>
  );
};

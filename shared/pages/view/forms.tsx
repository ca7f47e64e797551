import { type ComponentChildren, createElement, toChildArray } from "preact";
import { fill } from "../texts/languages.ts";
import { Notice } from "./components.tsx";
import { useFrame } from "./frame.ts";
import { Icon } from "./icons.tsx";

/** What is wrong with the fields of a form, by their names. */
export type FieldProblems = Readonly<Record<string, string | undefined>>;

interface FieldProps {
  readonly name: string;
  /** Where a page has several fields with this name. */
  readonly id?: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly problem?: string | undefined;
  readonly value?: string | undefined;
  readonly isOptional?: boolean;
}

type Described = Pick<FieldProps, "name" | "id" | "hint" | "problem">;

const describedBy = ({ name, id = name, hint, problem }: Described) =>
  [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(" ") || undefined;

/** The attributes that all controls have. */
const controlProps = (field: FieldProps) => ({
  id: field.id ?? field.name,
  name: field.name,
  required: !field.isOptional,
  "aria-describedby": describedBy(field),
  "aria-invalid": field.problem ? ("true" as const) : undefined,
});

/** A problem with the label of its field, as in "Enter your {field}." */
const named = (problem: string, label: string): string =>
  fill(problem, { field: `${label.charAt(0).toLowerCase()}${label.slice(1)}` });

const Explanation = ({ name, id = name, label, hint, problem }: Omit<FieldProps, "value" | "isOptional">) => (
  <>
    {hint && (
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
    )}
    {problem && (
      <p class="error" id={`${id}-problem`}>
        <Icon name="problem" />
        {named(problem, label)}
      </p>
    )}
  </>
);

const Optional = () => <span class="hint">{useFrame().texts.forms.optional}</span>;

/** A control with its label, its hint and its problem. */
const Labelled = ({
  name,
  label,
  isOptional,
  children,
  ...field
}: FieldProps & { children: ComponentChildren }) => (
  <div class={field.problem ? "field wrong" : "field"}>
    <label for={field.id ?? name}>
      {label} {isOptional && <Optional />}
    </label>
    {children}
    <Explanation name={name} label={label} {...field} />
  </div>
);

interface InputProps extends FieldProps {
  readonly type?: "text" | "email" | "password" | "number" | "date";
  readonly autocomplete?: string;
  readonly inputmode?: "numeric" | "email" | "text";
  readonly minlength?: number;
  readonly maxlength?: number;
}

const Input = ({ type = "text", autocomplete, inputmode, minlength, maxlength, ...field }: InputProps) =>
  createElement("input", {
    ...controlProps(field),
    type,
    // A password is never sent back to the browser.
    value: type === "password" ? undefined : field.value,
    autocomplete,
    inputMode: inputmode,
    minLength: minlength,
    maxLength: maxlength,
    spellcheck: false,
    autocapitalize: type === "text" ? undefined : "none",
  });

/** A single-line field. */
export const Field = (field: InputProps) => (
  <Labelled {...field}>
    <Input {...field} />
  </Labelled>
);

/** A field whose text a button shows; the script shows the button. */
const HiddenField = (field: InputProps) => {
  const { showPassword, hidePassword } = useFrame().texts.forms;
  return (
    <Labelled {...field}>
      <div class="password">
        <Input {...field} type="password" />
        <button
          type="button"
          class="button quiet"
          data-shows={field.id ?? field.name}
          data-hide={hidePassword}
          aria-controls={field.id ?? field.name}
          hidden
        >
          {showPassword}
        </button>
      </div>
    </Labelled>
  );
};

/** The password of an account. */
export const PasswordField = (field: FieldProps) => (
  <HiddenField {...field} autocomplete="current-password" />
);

/** A code of a second factor. It is never sent back to the browser. */
export const CodeField = ({ isNumber = false, ...field }: FieldProps & { readonly isNumber?: boolean }) => {
  const inputmode = isNumber ? "numeric" : "text";
  return <Field {...field} value={undefined} inputmode={inputmode} autocomplete="one-time-code" />;
};

/** A password to be set. */
export const NewPasswordField = (field: Omit<FieldProps, "hint">) => (
  <HiddenField
    {...field}
    hint={useFrame().texts.account.newPasswordHint}
    autocomplete="new-password"
    minlength={8}
  />
);

/** A file to choose. */
export const FileField = ({ accept, ...field }: FieldProps & { readonly accept: string }) => (
  <Labelled {...field}>
    <input {...controlProps(field)} required={false} type="file" accept={accept} />
  </Labelled>
);

/** A field for several lines of text. */
export const TextArea = ({ rows = 5, ...field }: FieldProps & { readonly rows?: number }) => (
  <Labelled {...field}>
    <textarea {...controlProps(field)} rows={rows}>
      {field.value}
    </textarea>
  </Labelled>
);

interface Option {
  readonly value: string;
  readonly label: string;
}

/** Languages or voices as options, by their names. */
export const optionsOf = (named: readonly { readonly code: string; readonly name: string }[]): Option[] =>
  named
    .map(({ code, name }) => ({ value: code, label: name }))
    .toSorted((one, other) => one.label.localeCompare(other.label));

/** One of several values. */
export const Select = ({ options, ...field }: FieldProps & { readonly options: readonly Option[] }) => (
  <Labelled {...field}>
    <select {...controlProps(field)} required={false}>
      {options.map(({ value, label }) => (
        <option key={value} value={value} selected={value === field.value}>
          {label}
        </option>
      ))}
    </select>
  </Labelled>
);

/** Any number of several values. The form sends each under the same name. */
export const Choices = ({
  label,
  options,
  chosen,
  ...field
}: Omit<FieldProps, "value" | "isOptional"> & {
  readonly options: readonly Option[];
  readonly chosen: readonly string[];
}) => (
  <fieldset class={field.problem ? "wrong" : undefined} aria-describedby={describedBy(field)}>
    <legend>{label}</legend>
    <div class="options">
      {options.map(({ value, label: words }) => (
        <label key={value} class="option">
          <input type="checkbox" name={field.name} value={value} checked={chosen.includes(value)} />
          {words}
        </label>
      ))}
    </div>
    <Explanation label={label} {...field} />
  </fieldset>
);

/** A box that must be checked. @param label for the list of problems; `children` are the words next to the box. */
export const RequiredBox = ({
  children,
  label,
  isChecked,
  ...field
}: Omit<FieldProps, "isOptional" | "hint"> & {
  readonly isChecked: boolean;
  readonly children: ComponentChildren;
}) => (
  <div class={field.problem ? "field wrong" : "field"}>
    <div class="option">
      <input {...controlProps({ ...field, label })} type="checkbox" value={field.value} checked={isChecked} />
      <label for={field.name}>{children}</label>
    </div>
    <Explanation label={label} {...field} />
  </div>
);

/** The id and the label of a field that is a direct child of the form. */
const fieldIn = (name: string, children: ComponentChildren): { id: string; label: string | undefined } => {
  for (const child of toChildArray(children)) {
    const props = typeof child === "object" ? child.props : {};
    if (!("name" in props && "label" in props) || props.name !== name) continue;
    const id = "id" in props ? String(props.id ?? name) : name;
    if (typeof props.label === "string") return { id, label: props.label };
  }
  return { id: name, label: undefined };
};

interface FormProps {
  readonly to: string;
  readonly submit: string;
  readonly look?: "main" | "secondary" | "danger";
  /** Names the form, when its page has several. */
  readonly action?: string;
  /** What is wrong with the form as a whole. */
  readonly refusal?: string | undefined;
  readonly problems?: FieldProblems;
  readonly children?: ComponentChildren;
}

/** The problems of a form with links to their fields, for people who see only a part of the page. */
const Problems = ({
  refusal,
  problems = {},
  children,
}: Pick<FormProps, "refusal" | "problems" | "children">) => {
  const { texts } = useFrame();
  const wrong = Object.entries(problems).filter(([, problem]) => problem !== undefined);
  return (
    <>
      {refusal !== undefined && (
        <Notice kind="bad" isFocused>
          {refusal}
        </Notice>
      )}
      {wrong.length > 0 && (
        <Notice kind="bad" title={texts.forms.problems} isFocused>
          <ul>
            {wrong.map(([name, problem = ""]) => {
              const { id, label = texts.forms.here } = fieldIn(name, children);
              return (
                <li key={name}>
                  <a href={`#${id}`}>{label}</a>: {named(problem, label)}
                </li>
              );
            })}
          </ul>
        </Notice>
      )}
    </>
  );
};

/** A form of the console: it goes to one of our paths, with the token that proves that we have shown it. */
export const Form = ({ to, submit, look = "main", action, children, ...wrong }: FormProps) => {
  const { url, formToken } = useFrame();
  return (
    <form method="post" action={url(to)} noValidate>
      <Problems {...wrong}>{children}</Problems>
      <input type="hidden" name="form_token" value={formToken} />
      {action !== undefined && <input type="hidden" name="action" value={action} />}
      {children}
      <button type="submit" class={look === "main" ? "button" : `button ${look}`}>
        {submit}
      </button>
    </form>
  );
};

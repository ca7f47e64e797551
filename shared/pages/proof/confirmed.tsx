import type { ComponentChildren } from "preact";
import { sentTo } from "../server/sent-form.ts";
import type { Visit } from "../server/visit.ts";
import { Form } from "../view/forms.tsx";

/**
 * A form with an effect that is not obvious: it opens with what it does, and then has a button.
 *
 * @param isDangerous whether it cannot be undone, or stops programs and people.
 */
export const Confirmed = ({
  to,
  action,
  label,
  text,
  sent,
  isDangerous = true,
  children,
}: {
  readonly to: string;
  readonly action: string;
  readonly label: string;
  readonly text: string;
  readonly sent: Pick<Visit, "values" | "lists" | "problems">;
  readonly isDangerous?: boolean;
  /** Fields of the form. */
  readonly children?: ComponentChildren;
}) => {
  const { isThis, form } = sentTo(action, sent);
  return (
    <details open={isThis} class={isDangerous ? "revoke" : "more"}>
      <summary>{label}</summary>
      <p>{text}</p>
      <Form to={to} submit={label} look={isDangerous ? "danger" : "secondary"} {...form}>
        {children}
      </Form>
    </details>
  );
};

import { sentTo } from "../server/sent-form.ts";
import type { Visit } from "../server/visit.ts";
import { Form } from "../view/forms.tsx";

/** A form that cannot be undone: it opens with what it does, and then has a button. */
export const Confirmed = ({
  to,
  action,
  label,
  text,
  sent,
}: {
  readonly to: string;
  readonly action: string;
  readonly label: string;
  readonly text: string;
  readonly sent: Pick<Visit, "values" | "lists" | "problems">;
}) => {
  const { isThis, form } = sentTo(action, sent);
  return (
    <details open={isThis} class="revoke">
      <summary>{label}</summary>
      <p>{text}</p>
      <Form to={to} submit={label} look="danger" {...form} />
    </details>
  );
};

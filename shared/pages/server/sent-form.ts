import type { Visit } from "./visit.ts";

type Sent = Pick<Visit, "values" | "lists" | "problems">;

/** The input and problems of one form of a page, if that form is shown again. @param action names the form. */
export const sentTo = (action: string, { values, lists, problems }: Sent) => {
  const isThis = values["action"] === action;
  const problemOf = isThis ? problems.fields : {};
  return {
    isThis,
    form: { action, refusal: isThis ? problems.form : undefined, problems: problemOf },
    /** @param known the value when the form is first shown. */
    field: (name: string, known?: string | null) => ({
      name,
      value: isThis ? values[name] : (known ?? undefined),
      problem: problemOf[name],
    }),
    list: (name: string): readonly string[] => (isThis ? (lists[name] ?? []) : []),
  };
};

import type { Visit } from "../server/visit.ts";

type Sent = Pick<Visit, "values" | "lists" | "problems">;

/**
 * What was typed into one of a page's forms, and what is wrong with it: nothing, unless it is that form which is shown again.
 *
 * @param action names the form on its page.
 */
export const sentTo = (action: string, { values, lists, problems }: Sent) => {
  const isThis = values["action"] === action;
  const problemOf = isThis ? problems.fields : {};
  return {
    isThis,
    /** For the form as a whole. */
    form: { action, refusal: isThis ? problems.form : undefined, problems: problemOf },
    /** For one of its fields. @param known what it has otherwise. */
    field: (name: string, known?: string | null) => ({
      name,
      value: isThis ? values[name] : (known ?? undefined),
      problem: problemOf[name],
    }),
    list: (name: string): readonly string[] => (isThis ? (lists[name] ?? []) : []),
  };
};

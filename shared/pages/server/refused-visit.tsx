import { AppError } from "../../platform/errors/app-error.ts";
import { Outcome } from "../view/outcome.tsx";
import { type PageResponse, shown } from "./responses.ts";
import type { Visit } from "./visit.ts";

/** Refuses a page for operators, without anything that it would show. @throws AppError `forbidden`, for programs. */
export const refuseVisit = ({ texts, url, wantsHtml }: Visit): PageResponse<never> => {
  const { title, text } = texts.errorPages.operatorsOnly;
  if (!wantsHtml) throw new AppError("forbidden", { message: text });
  return shown({
    status: 403,
    title,
    content: (
      <Outcome
        icon="problem"
        title={title}
        action={{ href: url("/console"), words: texts.navigation.overview }}
      >
        {text}
      </Outcome>
    ),
  });
};

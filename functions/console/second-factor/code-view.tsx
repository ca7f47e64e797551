import type { Visit } from "../../../shared/pages/server/visit.ts";
import { fill } from "../../../shared/pages/texts/languages.ts";
import { Notice } from "../../../shared/pages/view/components.tsx";
import { CodeField, Form } from "../../../shared/pages/view/forms.tsx";
import { codePage } from "./pages.ts";

/** The second step of a login. */
export const EnterCode = ({
  texts: { identity, secondFactor },
  url,
  problems,
  username,
  next,
}: Pick<Visit, "problems" | "texts" | "url"> & {
  readonly username: string;
  readonly next: string | undefined;
}) => (
  <>
    <div class="card">
      <h1>{secondFactor.logInTitle}</h1>
      {problems.form !== undefined && <Notice kind="bad" title={problems.form} isFocused />}
      <p class="about">{fill(secondFactor.logInText, { username })}</p>
      <Form to={codePage.path} submit={secondFactor.logIn} problems={problems.fields}>
        {next !== undefined && <input type="hidden" name="next" value={next} />}
        <CodeField
          name="code"
          label={secondFactor.code}
          hint={secondFactor.lost}
          problem={problems.fields["code"]}
        />
      </Form>
    </div>
    <p class="beneath">
      <a href={url("/console/log-in")}>{identity.toLogIn}</a>
    </p>
  </>
);

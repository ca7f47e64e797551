import { createWithheldMail } from "../../shared/accounts/mail/withheld-mail.ts";
import { readEnvironment } from "../../shared/platform/config/environment.ts";
import { requestTableFrom } from "../../shared/wiring/from-environment.ts";
import { mailFeedbackFunction } from "./contract.ts";
import { noteFeedback } from "./note-feedback.ts";

const environment = readEnvironment(mailFeedbackFunction.environment, process.env);
const withheldMail = createWithheldMail(requestTableFrom(environment));

/** Takes what SES says about a mail, as EventBridge hands it on. What it throws makes Lambda try again twice. */
export const handler = (event: unknown): Promise<void> => noteFeedback(event, withheldMail);

import { createWithheldMail } from "../../shared/accounts/mail/withheld-mail.ts";
import { readEnvironment } from "../../shared/platform/config/environment.ts";
import { requestTableFrom } from "../../shared/wiring/from-environment.ts";
import { mailFeedbackFunction } from "./contract.ts";
import { noteFeedback } from "./note-feedback.ts";

const environment = readEnvironment(mailFeedbackFunction.environment, process.env);
const withheldMail = createWithheldMail(requestTableFrom(environment));

/** Handles an event of SES, from EventBridge. Lambda retries twice when it throws. */
export const handler = (event: unknown): Promise<void> => noteFeedback(event, withheldMail);

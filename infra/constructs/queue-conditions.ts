import { Duration } from "aws-cdk-lib";
import { Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Condition, Monitored } from "./alarm-conditions.ts";

const statistic = { statistic: Stats.MAXIMUM, period: Duration.minutes(5) };

type Measure = Pick<Condition, "metric" | "threshold" | "datapointsToAlarm">;

const anyMessage = (queue: Queue): Measure => ({
  metric: queue.metricApproximateNumberOfMessagesVisible(statistic),
  threshold: 1,
  datapointsToAlarm: 1,
});

const messageOlderThan = (minutes: number, queue: Queue): Measure => ({
  metric: queue.metricApproximateAgeOfOldestMessage(statistic),
  threshold: minutes * 60,
  datapointsToAlarm: 1,
});

const entries = {
  MailDeadLetters: {
    description:
      "A mail could not be sent in five attempts. Read the reason in the mail function's log, fix it (often SES: identity " +
      "not verified, or account in the sandbox) and redrive the dead-letter queue. The mail then gets new links.",
    runbook: "Mails are dead-lettered",
  },
  MailDelay: {
    description:
      "A mail has been waiting for 15 minutes. Check the mail function's throttles and log, and SES's sending limit.",
    runbook: "Mails wait",
  },
  MessageDeadLetters: {
    description:
      "A message got no reply, and for a quarter of an hour not even an apology. Read the reason in the messaging function's " +
      "log; usually the platform's access token has expired. Apologies are retried automatically.",
    runbook: "Messages are dead-lettered",
  },
  MessageDelay: {
    description:
      "A message has been waiting for its reply for 15 minutes. Check the messaging function's throttles and log, and the " +
      "model servers.",
    runbook: "Messages wait",
  },
  JobDeadLetters: {
    description:
      "A step of a job failed in every attempt, so the job has stopped. Read the reason in the log of the function " +
      '"job-worker", fix it and redrive the dead-letter queue. It is safe to repeat any step.',
    runbook: "Jobs are dead-lettered",
  },
  JobDelay: {
    description:
      "Pieces of recordings have been waiting for an hour. Check that the transcription model can be reached. If it can, " +
      "there is more work than JOB_PIECES_AT_ONCE allows.",
    runbook: "Jobs wait",
  },
  ExportDeadLetters: {
    description:
      "An export of an account was not prepared: its worker was killed in every attempt. Read the end of the log of the function " +
      '"export". By law its owner has a right to it: they can request it again, and `npm run account` shows who they are.',
    runbook: "Exports are dead-lettered",
  },
  CallbackDeadLetters: {
    description:
      "A callback could not even be attempted: the callback function failed each time. Read the reason in its log, fix it " +
      "and redrive the dead-letter queue. Receivers that refuse callbacks raise no alarm.",
    runbook: "Callbacks are dead-lettered",
  },
};

/** Messages that wait too long, or that the functions could not process. */
export const queueConditions = ({
  mail,
  messages,
  callbacks,
  exports,
  jobs,
}: Monitored): Record<keyof typeof entries, Condition> => ({
  MailDeadLetters: { ...entries.MailDeadLetters, ...anyMessage(mail.deadLetterQueue) },
  MailDelay: { ...entries.MailDelay, ...messageOlderThan(15, mail.queue) },
  // The messaging function also reads this dead-letter queue, and sends an apology for each message.
  MessageDeadLetters: { ...entries.MessageDeadLetters, ...messageOlderThan(15, messages.deadLetterQueue) },
  MessageDelay: { ...entries.MessageDelay, ...messageOlderThan(15, messages.queue) },
  JobDeadLetters: { ...entries.JobDeadLetters, ...anyMessage(jobs.deadLetterQueue) },
  JobDelay: { ...entries.JobDelay, ...messageOlderThan(60, jobs.queue) },
  ExportDeadLetters: { ...entries.ExportDeadLetters, ...anyMessage(exports.deadLetterQueue) },
  CallbackDeadLetters: { ...entries.CallbackDeadLetters, ...anyMessage(callbacks.deadLetterQueue) },
});

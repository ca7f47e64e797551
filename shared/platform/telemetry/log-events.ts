/**
 * Everything the service writes to its log, and what each line means.
 *
 * The union is closed: an event that is not described here does not compile. Alarms and dashboards look for these names,
 * and `infra/README.md` says what to do about those that ring.
 */
export const logEvents = {
  "answer.not_accepted": "The messaging platform refused an answer; `status` and `outcome` are its words.",
  "answer.not_sent": "The messaging platform could not be reached, or said nothing in time.",
  "authorizer.failed": "A token could not be checked: the signing key did not answer.",
  "callback.failed":
    "The delivery of a callback could not be tried, or what came of it not be noted; the queue brings it again.",
  "canary.failed":
    "The service did not answer the canary as it answers callers; `reason` says what it did instead.",
  "chat.broken_off":
    "A model stopped in the middle of a streamed response; the caller was told in the stream.",
  "chat.thought_shown":
    "A streamed response showed what its model thought; the model's `…_THINKS_FIRST` holds that back.",
  "circuit.closed":
    "A model's server that nobody asked for a while answers again; `backend` is the task it serves.",
  "circuit.opened":
    "A model's server failed five times in a row; nobody asks it for some seconds. `backend` is the task it serves.",
  "delivery.failed": "A delivery of the messaging platform was not taken in; the platform sends it again.",
  "delivery.not_signed": "A delivery of the messaging platform had no valid signature.",
  "idempotency.not_kept":
    "An answer left and is not given again to who sends its Idempotency-Key: it is too large, or table or bucket did not take it in time.",
  "idempotency.not_released":
    "A request failed and its Idempotency-Key stays taken until its function's time is over, because the table did not answer in time.",
  "identity_provider.failed":
    "Nobody can sign in through an identity provider, or its answer was not to be trusted; `provider` is its letter, `reason` what it said.",
  "job.failed": "A job has failed for good; `code` is what its owner is told.",
  "job.message_failed": "What a message asked for could not be done; the queue brings it again.",
  "job.message_unreadable": "The queue of jobs held something that is no message.",
  "job.piece_failed":
    "A piece of a recording could not be transcribed; `reason` says why. It is tried again, or its job fails.",
  "limits.not_counted":
    "The table could not count a request, so it was counted in memory, where far fewer are let in; its token was read.",
  "limits.not_refunded":
    "A refused request stayed on its account's quota, because the table did not answer in time.",
  "limits.not_kept_up":
    "What is over was not removed from an account's item, or its usage not moved, because the table did not answer in time; a later request does it.",
  "limits.usage_not_counted":
    "What a request has used may not have been counted, because the table did not answer in time; it is not tried again, so that nothing is counted twice.",
  "limits.place_not_released":
    "A stream is over and its account's place was not given back, because the table did not answer in time; it ends by itself.",
  "mail.failed": "A mail could not be sent; the queue brings it again.",
  "mail.feedback":
    "Mail to an address came back for good, or its owner complained: it gets none any more. `kind` is SES's word for it.",
  "mail.not_queued": "An account was made, but its confirmation mail could not be queued.",
  "mail.withheld":
    "A mail was not sent: its recipient had one a minute ago or five today (`reason` is limit), or gets none any more (bounce, complaint).",
  "message.left_out": "A person wrote more than is answered in so short a time, and has been told so before.",
  "message.not_answered": "A person's message could not be answered; the queue brings it again.",
  "message.not_queueable": "SQS refuses a message for what is in it; it was left out. `code` is the reason.",
  "message.taken_over": "Another invocation answers the message already.",
  "message.unreadable": "The message queue held something that is no message.",
  "model.failed":
    "A model did not answer a message; `code` is the service's error, `reason` what came of the call.",
  "note.not_refreshed":
    "A conversation's summary stays as it was, because the model did not write a new one.",
  "receipt.not_saved": "Delivery receipts were lost, because the table did not answer.",
  "record.finished":
    "The last line of each try; `server_error` is 1 when the record comes again. Carries the metrics, as a request's does.",
  "record.returned":
    "Records of a batch went back to the queue untouched: an earlier one failed, or the function's time was nearly over.",
  "record.started":
    "The first line of each try at a record of a queue. `request_id` names the request that asked for the work.",
  "request.answered":
    "The last line of each request, when its response has left: a stream's line comes with its last byte. Carries the metrics.",
  "request.failed": "A request ended with a 5xx status; `code` and `reason` say why.",
  "request.received":
    "The first line of each request, when it is known what it asks for. A browser's preflight has only the last.",
  "secret.not_refreshed":
    "A secret could not be read again; its last good value stays in use. `secret` says which one.",
  "speech.broken_off":
    "Speech stopped in the middle of a streamed response; the caller was told in the stream.",
  "speech.item_failed": "One text of a batch could not be spoken; the others were.",
  "stream.failed": "The maker of a streamed response failed; the response was broken off.",
  "upload.not_aborted": "Parts of a broken upload stay in the bucket until its lifecycle removes them.",
  "transcript.not_uploaded": "The platform did not take a transcript as a file now; it is sent again.",
  "voice.not_made": "An answer went out as text only, because it could not be spoken.",
} as const;

/** The name of a line in the log. */
export type LogEvent = keyof typeof logEvents;

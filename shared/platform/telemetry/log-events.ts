/**
 * Everything the service writes to its log, and what each line means.
 *
 * The union is closed: an event that is not described here does not compile. Alarms and dashboards look for these names,
 * and `infra/handbook/runbook.md` says what to do about alarms.
 */
export const logEvents = {
  "answer.not_accepted": "The messaging platform refused a reply; `status` and `outcome` are its own.",
  "answer.not_sent": "The messaging platform could not be reached, or said nothing in time.",
  "authorizer.failed": "A token could not be checked, because the signing key was unavailable.",
  "callback.failed":
    "A callback could not be sent, or its outcome not be stored; the queue delivers it again.",
  "canary.failed": "The service did not respond to the canary as it should; `reason` says how it responded.",
  "chat.broken_off": "A model stopped during a streamed response; the stream reported it to the caller.",
  "chat.tools_left_out":
    "A request to /v1/responses had tools that nothing here runs; the model was not offered them.",
  "chat.thought_shown":
    "A streamed response showed what its model thought; `thinks_first` in the model's profile holds that back.",
  "circuit.closed": "A model's server responds again after its circuit was open; `backend` is its task.",
  "circuit.opened":
    "A model's server failed five times in a row, or timed out while another could be called; it gets no calls for some seconds. `backend` is its task, `server` its name.",
  "delivery.in_group": "Messages in a group of the platform got no reply: the assistant talks to one person.",
  "delivery.failed": "A delivery of the messaging platform was not taken in; the platform sends it again.",
  "delivery.not_signed": "A delivery of the messaging platform had no valid signature.",
  "export.failed":
    "The export of an account could not be prepared; its owner sees that, and may request another one.",
  "file.not_uploaded": "The platform did not take a file for a person now; it is sent again.",
  "idempotency.not_kept":
    "A response was sent but cannot be replayed for its Idempotency-Key: it is too large, or table or bucket did not accept it in time.",
  "idempotency.not_released":
    "A request failed and its Idempotency-Key stays locked until its function's time ends, because the table did not respond in time.",
  "identity_provider.failed":
    "No one can log in through an identity provider, or its response was not trustworthy; `provider` is its letter, `reason` the detail.",
  "job.failed": "A job has failed for good; `code` is what its owner sees.",
  "job.message_failed": "The step of a message could not be done; the queue delivers it again.",
  "job.message_unreadable":
    "The queue of jobs held a message that this version cannot read. It is tried again, then dead-lettered.",
  "job.piece_failed":
    "A piece of a recording could not be transcribed; `reason` says why. It is tried again, or its job fails.",
  "limits.not_counted":
    "The table could not count a request, so it was counted in memory, which admits far fewer; its token was read.",
  "limits.not_refunded": "A refused request was not refunded, because the table did not respond in time.",
  "limits.characters_not_refunded":
    "Characters that were not translated stay counted, because the table did not respond in time.",
  "limits.not_kept_up":
    "Expired entries were not removed from an account's item, or its usage was not moved, because the table did not respond in time; a later request does it.",
  "limits.usage_not_counted":
    "A request's usage may be uncounted, because the table did not respond in time; it is not retried, so that nothing is counted twice.",
  "limits.place_not_released":
    "A stream ended but its account's slot was not released, because the table did not respond in time; the slot expires.",
  "mail.failed": "A mail could not be sent; the queue brings it again.",
  "mail.feedback":
    "Mail to an address bounced permanently, or its owner complained: it gets none from now on. `kind` is SES's detail.",
  "mail.not_queued": "An account was created, but its confirmation mail could not be queued.",
  "mail.withheld":
    "A mail was not sent: its recipient had one a minute ago or five today (`reason` is limit), or is blocked (bounce, complaint).",
  "mcp.audio_not_read":
    "The audio of stored speech could not be read; the tool's result has only the link to it.",
  "message.left_out":
    "A person wrote more messages than the assistant handles in a short time, and was already warned.",
  "message.sender_stopped": "A message of a person who said STOP got no reply.",
  "message.not_answered": "A person's message got no reply; the queue delivers it again.",
  "message.not_queueable": "SQS refuses a message for what is in it; it was left out. `code` is the reason.",
  "message.taken_over": "Another invocation is already replying to the message.",
  "message.unreadable":
    "The message queue held a message that this version cannot read. It is tried again, then dead-lettered.",
  "model.calls_not_counted": "Calls to a model's server are missing on the operators' page of models.",
  "model.failed":
    "A model did not reply to a message; `code` is the service's error, `reason` the outcome of the call.",
  "model.key_refused":
    "A model's server refused our key (401 or 403), or its account is out of credit (402); `server` is its name, by which the secret has its key.",
  "model.language_unknown":
    "A model's server does not know a language of the service; reported once for each language and process. Choose a profile for it.",
  "model.refused":
    "A model's server refused a request or reported a failure; `words` are its own, up to 300 characters, without anything that was also in the request. `status` says what they amount to.",
  "model.server_failed":
    "A model's server failed, and the next one of its task was called; `reason` is the outcome of the call.",
  "note.not_refreshed":
    "A conversation's summary stays as it was, because the model did not write a new one.",
  "operator.acts":
    "An operator acts in the console; `act`, `by_account`, `account_id` and `detail` are those of the record in the table, and the line is its evidence.",
  "receipt.not_saved": "Delivery receipts were lost, because the table did not respond.",
  "record.finished":
    "The last line of each attempt; `server_error` is 1 when the queue delivers the record again. Carries the metrics, as a request's does.",
  "record.returned":
    "Records of a batch went back to the queue untouched: an earlier one failed, or the function's time was nearly over.",
  "record.started":
    "The first line of each attempt at a record of a queue. `request_id` names the request that caused it.",
  "release.refused":
    "A new version did not respond to a sample event as it should, so no caller reaches it; `reason` says how it responded.",
  "request.answered":
    "The line of each request, when its response has left: a stream's line comes with its last byte. Carries the metrics.",
  "request.failed": "A request ended with a 5xx status; `code` and `reason` say why.",
  "request_log.not_stored":
    "Requests could not be stored for the accounts that sent them. Lambda repeats it twice; after that they are missing in the console.",
  "request.received":
    "The first line of a request that takes more than a second. If `request.answered` is missing, Lambda ended the function.",
  "secret.not_refreshed":
    "A secret could not be read again; its last good value stays in use. `secret` says which one.",
  "speech.broken_off": "Speech stopped during a streamed response; the stream reported it to the caller.",
  "speech.item_failed": "One text of a batch could not be spoken; the others were.",
  "stream.failed": "The maker of a streamed response failed; the response was broken off.",
  "translation.item_failed": "One text of a list was not translated; the others were.",
  "translation.requested_again":
    "A model's reply was no translation, and it was requested once more; `reason` says why.",
  "upload.not_aborted": "Parts of a broken upload stay in the bucket until its lifecycle removes them.",
  "sunset.mailed": "Accounts were mailed because they still call routes of version 1; `count` says how many.",
  "voice.not_made": "A reply was sent as text only, because it could not be spoken.",
} as const;

/** The name of a line in the log. */
export type LogEvent = keyof typeof logEvents;

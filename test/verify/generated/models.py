"""Reads responses with the models that datamodel-code-generator makes; prints what it got."""

import json
import os
import sys
import urllib.error
import urllib.request

sys.path.insert(0, sys.argv[1])

import models


def send(path, body=None, token=os.environ["TOKEN"]):
    data = body.model_dump_json(exclude_none=True).encode() if body else None
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    try:
        with urllib.request.urlopen(urllib.request.Request(os.environ["API"] + path, data, headers)) as response:
            return response.read()
    except urllib.error.HTTPError as error:
        return error.read()


name = os.environ["NAME"]
registration = models.RegisterRequest(username=name, email=f"{name}@example.com", password="seven storks by the lake")
models.Account.model_validate_json(send("/auth/register", registration))
request = models.TranslateRequest(source_language="eng", target_language="lug", text="How are you?")
translated = models.TranslateResponse.model_validate_json(send("/tasks/translate", request))
jobs = models.JobList.model_validate_json(send("/tasks/jobs"))
unsupported = models.TranslateRequest(target_language="klingon", text="How are you?")
refused = models.ErrorBody.model_validate_json(send("/tasks/translate", unsupported))
registration.username = "a b"
invalid = models.ValidationErrorBody.model_validate_json(send("/auth/register", registration))
print(json.dumps([translated.output.translated_text, len(jobs.jobs), refused.error.code, invalid.detail[0].msg]))

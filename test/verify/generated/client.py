"""Uses the client that openapi-generator makes for Python; prints what it got."""

import json
import os
import sys

sys.path.insert(0, sys.argv[1])

import openapi_client as client

password = "seven storks by the lake"
name = os.environ["NAME"]
configuration = client.Configuration(host=os.environ["API"])
api = client.ApiClient(configuration)
accounts = client.AccountsAndTokensApi(api)
accounts.register(client.RegisterRequest(username=name, email=f"{name}@example.com", password=password))
configuration.access_token = accounts.issue_token(username=name, password=password).access_token

translation = client.TranslationApi(api)
translated = translation.translate(client.TranslateRequest(source_language="eng", target_language="lug", text="How are you?"))
jobs = client.JobsApi(api).list_jobs()
try:
    translation.translate(client.TranslateRequest(target_language="klingon", text="How are you?"))
    sys.exit("There was no 400.")
except client.exceptions.BadRequestException as error:
    refused = error.data
try:
    accounts.register(client.RegisterRequest(username="a b", email=f"{name}@example.org", password=password))
    sys.exit("There was no 422.")
except client.exceptions.UnprocessableEntityException as error:
    invalid = error.data
print(json.dumps([translated.output.translated_text, len(jobs.jobs), refused.error.code, invalid.detail[0].msg]))

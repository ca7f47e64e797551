"""What Python's clients of the OpenAI API make of this service: a line of JSON for each test, as a title and what failed.

python test/verify/clients/clients.py <client>, with OPENAI_BASE_URL, OPENAI_API_KEY and RECORDING (a WAV file that the sample
models spoke) in the environment.
"""

import io
import json
import os
import sys
import traceback

MODEL = "lang-14b"
QUESTION = "What is the market price of Maize in Kampala?"
ARGUMENTS = {"crop": "Maize", "market": "Kampala"}
ANSWER = "1,200 shillings a kilogram"
SENTENCE = "Wasuze otya nno? Nnyabo, weebale kujja."
TOOL = {
    "type": "function",
    "function": {
        "name": "get_market_price",
        "description": "The price of a crop at a market",
        "parameters": {
            "type": "object",
            "properties": {"crop": {"type": "string"}, "market": {"enum": ["Gulu", "Kampala"]}},
            "required": ["crop", "market"],
            "additionalProperties": False,
        },
    },
}
PRICE = "Maize in Gulu costs 1200 shillings."
PRICE_SCHEMA = {
    "type": "object",
    "properties": {"market": {"enum": ["Gulu", "Kampala"]}, "shillings": {"type": "integer"}},
    "required": ["market", "shillings"],
    "additionalProperties": False,
}
PRICE_FORMAT = {
    "type": "json_schema",
    "json_schema": {"name": "price", "strict": True, "schema": PRICE_SCHEMA},
}
EXPECTED_PRICE = {"market": "Gulu", "shillings": 1200}
HELLO = [{"role": "user", "content": "How do you say 'thank you' in Luganda?"}]


def must(held, found):
    """`assert`, which is left out by -O and does not say what was found."""
    if not held:
        raise AssertionError(f"found {found!r}")


def text_of(chunks):
    return "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)


def is_mp3(sound):
    return len(sound) > 2_000 and (sound[:3] == b"ID3" or (sound[0] == 0xFF and sound[1] & 0xE6 == 0xE2))


def recording(name="recording.wav"):
    with open(os.environ["RECORDING"], "rb") as file:
        sound = io.BytesIO(file.read())
    sound.name = name
    return sound


def openai_tests():
    import openai
    from pydantic import BaseModel

    client = openai.OpenAI(max_retries=0)
    create = client.chat.completions.create

    def whole():
        answer = create(model=MODEL, messages=HELLO)
        must(answer.choices[0].message.content.strip(), answer)
        must(answer.choices[0].finish_reason == "stop" and answer.usage.total_tokens > 0, answer)

    def streamed():
        chunks = list(
            create(model=MODEL, messages=HELLO, stream=True, stream_options={"include_usage": True})
        )
        must(text_of(chunks).strip() and len(chunks) > 2, chunks)
        must(chunks[-1].choices == [] and chunks[-1].usage.total_tokens > 0, chunks[-1])

    def tools():
        messages = [{"role": "user", "content": QUESTION}]
        message = create(model=MODEL, messages=messages, tools=[TOOL]).choices[0].message
        (call,) = message.tool_calls
        must(json.loads(call.function.arguments) == ARGUMENTS, call)
        result = {"role": "tool", "tool_call_id": call.id, "content": ANSWER}
        told = create(model=MODEL, messages=[*messages, message, result], tools=[TOOL])
        must(ANSWER in told.choices[0].message.content, told)
        with client.chat.completions.stream(model=MODEL, messages=messages, tools=[TOOL]) as stream:
            read = stream.get_final_completion().choices[0].message
        must(json.loads(read.tool_calls[0].function.arguments) == ARGUMENTS, read)
        # The package puts its parsed reply into the message, and sends it back.
        result = {"role": "tool", "tool_call_id": read.tool_calls[0].id, "content": ANSWER}
        told = create(model=MODEL, messages=[*messages, read, result], tools=[TOOL])
        must(ANSWER in told.choices[0].message.content, told)

    def structured():
        class Price(BaseModel):
            market: str
            shillings: int

        answer = client.chat.completions.parse(
            model=MODEL, messages=[{"role": "user", "content": PRICE}], response_format=Price
        )
        must(answer.choices[0].message.parsed.shillings == 1200, answer)

    def responses():
        whole_response = client.responses.create(model=MODEL, input=HELLO[0]["content"], store=False)
        must(whole_response.output_text.strip() and whole_response.status == "completed", whole_response)
        with client.responses.stream(model=MODEL, input=HELLO[0]["content"]) as stream:
            final = stream.get_final_response()
        must(final.output_text.strip() and final.usage.total_tokens > 0, final)

    def transcription():
        def of(response_format):
            return client.audio.transcriptions.create(
                file=recording(), model="stt-51", language="lg", response_format=response_format
            )

        must(of("json").text == SENTENCE, of("json"))
        verbose = of("verbose_json")
        must(verbose.text == SENTENCE and verbose.duration > 1 and len(verbose.segments) == 2, verbose)
        must(verbose.segments[0].avg_logprob is not None, verbose.segments[0])
        srt = of("srt")
        must(srt.startswith("1\n00:00:0") and " --> " in srt, srt)

    def speech():
        sound = client.audio.speech.create(
            model="tts-1", voice="alloy", input=SENTENCE, extra_body={"language": "lug"}
        ).read()
        must(is_mp3(sound), sound[:16])

    def models():
        ids = [model.id for model in client.models.list()]
        must(ids == ["lang-14b", "lang-9b", "stt-51", "tts-20"], ids)

    def errors():
        def error_of(kind, ask):
            try:
                found = ask()
            except kind as error:
                return error
            raise AssertionError(f"no {kind.__name__}: {found!r}")

        refused = error_of(openai.BadRequestError, lambda: create(model=MODEL, messages=HELLO, n=2))
        must((refused.code, refused.param) == ("unsupported_parameter", "n"), refused)
        error_of(openai.NotFoundError, lambda: client.models.retrieve("gpt-4o"))
        error_of(
            openai.BadRequestError, lambda: create(model=MODEL, messages=HELLO, temperature=3)
        )
        stranger = client.with_options(api_key="nonsense")
        error_of(openai.AuthenticationError, stranger.models.list)

    return {
        "returns a whole reply": whole,
        "streams a reply": streamed,
        "calls a tool": tools,
        "returns structured output": structured,
        "gives responses": responses,
        "transcribes a recording": transcription,
        "speaks": speech,
        "lists the models": models,
        "reports what went wrong": errors,
    }


def litellm_tests():
    import litellm

    litellm.num_retries = 0
    litellm.suppress_debug_info = True
    model = f"openai/{MODEL}"

    def whole():
        answer = litellm.completion(model=model, messages=HELLO)
        must(answer.choices[0].message.content.strip() and answer.usage.total_tokens > 0, answer)

    def streamed():
        chunks = list(litellm.completion(model=model, messages=HELLO, stream=True))
        must(text_of(chunks).strip() and chunks[-1].choices[0].finish_reason == "stop", chunks)

    def tools():
        messages = [{"role": "user", "content": QUESTION}]
        message = litellm.completion(model=model, messages=messages, tools=[TOOL]).choices[0].message
        (call,) = message.tool_calls
        must(json.loads(call.function.arguments) == ARGUMENTS, call)
        result = {"role": "tool", "tool_call_id": call.id, "content": ANSWER}
        told = litellm.completion(
            model=model, messages=[*messages, message.model_dump(), result], tools=[TOOL]
        )
        must(ANSWER in told.choices[0].message.content, told)

    def structured():
        answer = litellm.completion(
            model=model, messages=[{"role": "user", "content": PRICE}], response_format=PRICE_FORMAT
        )
        must(json.loads(answer.choices[0].message.content) == EXPECTED_PRICE, answer)

    def responses():
        answer = litellm.responses(model=model, input=HELLO[0]["content"], store=False)
        must(answer.status == "completed" and answer.output_text.strip(), answer)

    def transcription():
        # Without a format it requests verbose_json, whose duration it needs for its costs.
        answer = litellm.transcription(model="openai/whisper-1", file=recording(), language="lg")
        must(answer.text == SENTENCE and answer.duration > 1, answer)

    def speech():
        sound = litellm.speech(
            model="openai/tts-1", voice="alloy", input=SENTENCE, extra_body={"language": "lug"}
        )
        must(is_mp3(sound.content), sound.content[:16])

    def errors():
        for kind, options in [
            (litellm.AuthenticationError, {"api_key": "nonsense"}),
            (litellm.BadRequestError, {"n": 2}),
        ]:
            try:
                found = litellm.completion(model=model, messages=HELLO, **options)
            except kind:
                continue
            raise AssertionError(f"no {kind.__name__}: {found!r}")

    return {
        "returns a whole reply": whole,
        "streams a reply": streamed,
        "calls a tool": tools,
        "returns structured output": structured,
        "gives responses": responses,
        "transcribes a recording": transcription,
        "speaks": speech,
        "reports what went wrong": errors,
    }


def langchain_tests():
    import openai
    from langchain_core.messages import ToolMessage
    from langchain_openai import ChatOpenAI

    def model_of(**options):
        return ChatOpenAI(model=MODEL, max_retries=0, **options)

    def whole():
        answer = model_of().invoke(HELLO)
        must(answer.text.strip() and answer.usage_metadata["total_tokens"] > 0, answer)

    def streamed():
        chunks = list(model_of(stream_usage=True).stream(HELLO))
        must("".join(chunk.text for chunk in chunks).strip() and len(chunks) > 2, chunks)
        must(any(chunk.usage_metadata for chunk in chunks), chunks)

    def tools():
        model = model_of().bind_tools([TOOL])
        messages = [{"role": "user", "content": QUESTION}]
        calling = model.invoke(messages)
        (call,) = calling.tool_calls
        must(call["args"] == ARGUMENTS, call)
        result = ToolMessage(content=ANSWER, tool_call_id=call["id"])
        told = model.invoke([*messages, calling, result])
        must(ANSWER in told.text, told)

    def structured():
        schema = {"title": "price", "description": "A price", **PRICE_SCHEMA}
        found = model_of().with_structured_output(schema, method="json_schema").invoke(PRICE)
        must(found == EXPECTED_PRICE, found)

    def responses():
        answer = model_of(use_responses_api=True, store=False).invoke(HELLO)
        must(answer.text.strip(), answer)

    def errors():
        try:
            found = model_of(api_key="nonsense").invoke(HELLO)
        except openai.AuthenticationError:
            return
        raise AssertionError(f"no AuthenticationError: {found!r}")

    return {
        "returns a whole reply": whole,
        "streams a reply": streamed,
        "calls a tool": tools,
        "returns structured output": structured,
        "gives responses": responses,
        "reports what went wrong": errors,
    }


def main():
    clients = {"openai": openai_tests, "litellm": litellm_tests, "langchain-openai": langchain_tests}
    tests = clients[sys.argv[1]]()
    if os.environ.get("SILENT"):
        # A model that replies after 20 seconds.
        tests = {title: test for title, test in tests.items() if title == "streams a reply"}
    for title, test in tests.items():
        failure = None
        try:
            test()
        except Exception as error:  # any error of a client is the finding
            failure = "".join(traceback.format_exception_only(error)).strip()
        print(json.dumps({"title": title, "failure": failure}))


main()

"""What Python's clients of DeepL and LibreTranslate make of this service: a line of JSON for each test, as a title and what failed.

python test/verify/clients/translation.py <client>, with API, TOKEN and POOR_TOKEN (of an account whose characters are used up) in
the environment.
"""

import json
import os
import sys
import tempfile
import traceback
import urllib.error

API = os.environ["API"]
TOKEN = os.environ["TOKEN"]


def must(held, found):
    """`assert`, which is left out by -O and does not say what was found."""
    if not held:
        raise AssertionError(f"found {found!r}")


def raised(kind, call):
    try:
        found = call()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}: {found!r}")


def deepl_tests():
    import deepl

    deepl.http_client.max_network_retries = 0

    def client_with(key):
        return deepl.DeepLClient(key, server_url=f"{API}/deepl/")

    client = client_with(TOKEN)

    def text():
        result = client.translate_text("Thank you", source_lang="EN", target_lang="LG")
        must((result.text, result.billed_characters) == ("Webale", 9), result)
        must(result.detected_source_lang == "EN", result)

    def texts():
        results = client.translate_text(["Thank you", "Good morning", "Thank you"], target_lang="LUG")
        must([result.billed_characters for result in results] == [9, 12, 0], results)

    def tags():
        result = client.translate_text(
            '<a><b>Thank you</b><c>Hello</c></a> {name} <x id="1"/>',
            source_lang="EN",
            target_lang="LG",
            tag_handling="xml",
            ignore_tags="c",
            splitting_tags=["b"],
            non_splitting_tags=["i"],
            outline_detection=True,
        )
        must(result.text == '<a><b>Webale</b><c>Hello</c></a> {name} <x id="1"/>', result.text)

    def options():
        result = client.translate_text(
            "Thank you",
            source_lang="EN",
            target_lang="LG",
            split_sentences="nonewlines",
            preserve_formatting=True,
            formality="prefer_less",
            context="A customer at a market",
            model_type="latency_optimized",
        )
        must(result.model_type_used == "latency_optimized", result)

    def languages():
        sources = {language.code: language.name for language in client.get_source_languages()}
        must(sources["LG"] == "Luganda" and "EN" in sources, sources)
        targets = [language.code for language in client.get_target_languages()]
        must("EN-GB" in targets and "ACH" in targets and "EN" not in targets, targets)
        must(client.get_glossary_languages() == [], "glossaries")

    def usage():
        before = client.get_usage().character
        client.translate_text("Thank you", source_lang="EN", target_lang="LG")
        after = client.get_usage()
        must(after.character.count - before.count == 9, (before.count, after.character.count))
        must(after.character.limit > 1_000 and not after.any_limit_reached, after)

    def document():
        with tempfile.TemporaryDirectory() as folder:
            source, target = f"{folder}/app.po", f"{folder}/translated.po"
            with open(source, "w") as file:
                file.write('msgid "Thank you"\nmsgstr ""\n')
            status = client.translate_document_from_filepath(
                source, target, source_lang="EN", target_lang="LG"
            )
            must(status.done and status.billed_characters == 9, status)
            with open(target) as file:
                must(file.read() == 'msgid "Thank you"\nmsgstr "Webale"\n', "another document")

    def errors():
        stranger = client_with("nonsense")
        raised(deepl.AuthorizationException, stranger.get_usage)
        raised(deepl.AuthorizationException, lambda: stranger.translate_text("Hello", target_lang="LG"))
        poor = client_with(os.environ["POOR_TOKEN"])
        raised(deepl.QuotaExceededException, lambda: poor.translate_text("Thank you", target_lang="LG"))
        refused = raised(
            deepl.DeepLException,
            lambda: client.translate_text("Hello", target_lang="LG", formality="more"),
        )
        must("no levels of formality" in str(refused), refused)

    return {
        "translates a text": text,
        "translates a list": texts,
        "keeps tags": tags,
        "sends its options": options,
        "lists the languages": languages,
        "shows the usage": usage,
        "translates a document": document,
        "reports what went wrong": errors,
    }


def libretranslate_tests():
    from libretranslatepy import LibreTranslateAPI

    client = LibreTranslateAPI(f"{API}/libretranslate", TOKEN)

    def text():
        must(client.translate("Thank you", "en", "lg") == "Webale", "another text")
        must(client.translate("Thank you", "auto", "lug") == "Webale", "another text")

    def detection():
        (found,) = client.detect("Wasuze otya nno, ssebo?")
        must(found["language"] == "lg" and found["confidence"] > 50, found)

    def languages():
        found = {language["code"]: language for language in client.languages()}
        must(found["lg"]["name"] == "Luganda" and "en" in found["lg"]["targets"], found["lg"])

    def errors():
        stranger = LibreTranslateAPI(f"{API}/libretranslate/", "nonsense")
        refused = raised(urllib.error.HTTPError, lambda: stranger.translate("Hello", "en", "lg"))
        must(refused.code == 403 and "error" in json.load(refused), refused)
        unknown = raised(urllib.error.HTTPError, lambda: client.translate("Hello", "en", "tlh"))
        must(unknown.code == 400 and "Unsupported language" in json.load(unknown)["error"], unknown)

    return {
        "translates a text": text,
        "detects the language": detection,
        "lists the languages": languages,
        "reports what went wrong": errors,
    }


def main():
    clients = {"deepl": deepl_tests, "libretranslatepy": libretranslate_tests}
    for title, test in clients[sys.argv[1]]().items():
        failure = None
        try:
            test()
        except Exception as error:  # any error of a client is the finding
            failure = "".join(traceback.format_exception_only(error)).strip()
        print(json.dumps({"title": title, "failure": failure}))


main()

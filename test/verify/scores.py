"""Prints, as JSON, the scores of sacreBLEU and jiwer for each list of pairs in a file."""

import json
import sys

import jiwer
from sacrebleu.metrics import BLEU, CHRF

# As sacrebleu's and jiwer's own commands do; only the word order is named, which makes chrF chrF++.
bleu = BLEU()
chrf = CHRF(word_order=2)


def scores(pairs):
    outputs = [pair["output"] for pair in pairs]
    references = [pair["reference"] for pair in pairs]
    return {
        "bleu": bleu.corpus_score(outputs, [references]).score,
        "chrf": chrf.corpus_score(outputs, [references]).score,
        "wer": 100 * jiwer.wer(references, outputs),
        "cer": 100 * jiwer.cer(references, outputs),
    }


with open(sys.argv[1], encoding="utf-8") as file:
    corpora = json.load(file)
json.dump([scores(pairs) for pairs in corpora], sys.stdout)

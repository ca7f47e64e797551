"""Opens documents and their translations with other programs, and prints a line of JSON for each translation that differs.

python read-documents.py <manifest>: a list of JSON with `format`, `before`, `after`, `name`, and `is_same` where the model changed
nothing but the case of letters. Each reader returns pairs of a part's kind and its words; the kinds are the same in a translation.
A document that a program cannot open is only asked of its translation where the program opened the original.
"""

import csv
import io
import json
import re
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path

import docx
import openpyxl
import pptx
import pysubs2
import webvtt
from lxml import etree, html
from markdown_it import MarkdownIt
from odf import opendocument, teletype
from odf import text as odf_text
from ruamel.yaml import YAML
from translate.storage import aresource, jsonl10n, po, properties, xliff


def decoded(path):
    """As editors do it: by a mark, by what the file declares, else UTF-8, else Windows-1252."""
    data = Path(path).read_bytes()
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16")
    declared = re.search(rb"(?:charset|encoding)=[\"']?([\w-]+)", data[:4096])
    for encoding in [*([declared[1].decode()] if declared else []), "utf-8-sig", "windows-1252"]:
        try:
            return data.decode(encoding).removeprefix("\ufeff")
        except (UnicodeDecodeError, LookupError):
            continue
    raise ValueError("its encoding is not known")


def plain(words):
    return " ".join((words or "").split())


def well_formed(path):
    """Every XML file in a ZIP file."""
    with zipfile.ZipFile(path) as archive:
        if archive.testzip():
            raise ValueError("the ZIP file is damaged")
        for name in archive.namelist():
            # OpenOffice stores settings that were not changed as empty files.
            if name.endswith((".xml", ".rels")) and archive.getinfo(name).file_size:
                etree.fromstring(archive.read(name))
                yield f"file {name}", ""


def formatted(runs):
    """The words with a mark where bold or italics begin or end; blanks have the format of what is around them."""
    written, last = "", ""
    for run in runs:
        font = getattr(run, "font", None)
        look = "".join(mark for mark, on in (("*", font and font.bold), ("/", font and font.italic)) if on)
        for character in run.text:
            if not character.isspace():
                written += f"<{look}>" if look != last else ""
                last = look
            written += character
    return written


def docx_runs(paragraph):
    for inner in paragraph.iter_inner_content():
        yield from inner.runs if hasattr(inner, "runs") else [inner]


def docx_paragraphs(container):
    for inner in container.iter_inner_content():
        if hasattr(inner, "rows"):
            yield "table", f"{len(inner.rows)} {len(inner.columns)}"
            for row in inner.rows:
                for cell in row.cells:
                    yield from docx_paragraphs(cell)
        else:
            yield "paragraph", formatted(docx_runs(inner))


def read_docx(path):
    yield from well_formed(path)
    document = docx.Document(path)
    yield from docx_paragraphs(document)
    for section in document.sections:
        for part in (section.header, section.footer):
            yield from docx_paragraphs(part)


def read_pptx(path):
    yield from well_formed(path)
    for slide in pptx.Presentation(path).slides:
        for shape in slide.shapes:
            if shape.has_text_frame:
                for paragraph in shape.text_frame.paragraphs:
                    yield f"paragraph {paragraph.level}", formatted(paragraph.runs)


def read_xlsx(path):
    yield from well_formed(path)
    for sheet in openpyxl.load_workbook(path).worksheets:
        for row in sheet.iter_rows():
            for cell in row:
                words = cell.value if isinstance(cell.value, str) else ""
                kind = type(cell.value).__name__ if words == "" else "str"
                yield f"{sheet.title} {cell.coordinate} {kind}", words
                if cell.comment:
                    yield "comment", cell.comment.text


def read_odt(path):
    yield from well_formed(path)
    document = opendocument.load(path)
    for element in (odf_text.P, odf_text.H, odf_text.Note, odf_text.ListItem):
        for found in document.getElementsByType(element):
            yield found.qname[1], teletype.extractText(found)


def read_po(path):
    checked = subprocess.run(
        ["msgfmt", "--check", "--output-file=/dev/null", path], capture_output=True, text=True, check=False
    )
    yield f"msgfmt ends with {checked.returncode}", ""
    for unit in po.pofile.parsefile(path).units:
        if unit.isheader() or unit.isobsolete():
            continue
        sources = unit.source.strings if unit.hasplural() else [unit.source]
        targets = unit.target.strings if unit.hasplural() else [unit.target]
        for form, target in enumerate(targets):
            # A language with one form has the plural for all numbers.
            source = str(sources[-1 if form or len(targets) == 1 else 0])
            words = source if unit.isfuzzy() or not target else str(target)
            yield f"{unit.getcontext()} {form} {source}", words


# What no one has translated has one of these states, or none and the words of its source.
UNTRANSLATED = {"new", "needs-translation", "initial"}


def read_xliff(path):
    source = Path(path).read_bytes()
    root = etree.fromstring(source)
    if not root.get("version", "").startswith("2"):
        for unit in xliff.xlifffile.parsestring(source).units:
            yield "unit of the toolkit", unit.source
    elif root.get("trgLang") is None and root.findall(".//{*}target"):
        raise ValueError("XLIFF 2 has a target and no trgLang")
    for unit in root.iter("{*}trans-unit", "{*}segment"):
        original, target = unit.find("{*}source"), unit.find("{*}target")
        segmented = unit.find("{*}seg-source")
        state = (unit.get("state") if target is None else target.get("state")) or unit.get("state")
        is_written = target is not None and state not in UNTRANSLATED and "".join(target.itertext()).strip()
        shown = target if is_written else original if segmented is None else segmented
        kinds = Counter(etree.QName(element).localname for element in shown.iter(etree.Element))
        kinds -= Counter(["source", "target", "seg-source"])
        yield f"unit {unit.get('id')} {sorted(kinds.items())}", "".join(shown.itertext())


def read_units(store_class, path):
    for unit in store_class.parsestring(Path(path).read_bytes()).units:
        targets = unit.target.strings if hasattr(unit.target, "strings") else [unit.target]
        for words in targets:
            yield f"{unit.getid()}", str(words or unit.source or "")


def read_properties(path):
    store = properties.javautf8file()
    store.parse(decoded(path).encode())
    for unit in store.units:
        yield unit.name, unit.source


def read_strings(path):
    store = properties.stringsutf8file()
    store.parse(decoded(path).encode())
    for unit in store.units:
        yield unit.name, unit.source


def flat(value, path=""):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from flat(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from flat(inner, f"{path}.{index}")
    elif path != ".@@locale":
        yield f"{path} {type(value).__name__}", value if isinstance(value, str) else ""


def read_json(path):
    yield from flat(json.loads(decoded(path)))


def read_arb(path):
    yield from read_json(path)
    for unit in jsonl10n.ARBJsonFile.parsestring(decoded(path).encode()).units:
        if not unit.getid().startswith("@"):
            yield f"message {unit.getid()}", unit.target


def read_yaml(path):
    for value in YAML(typ="safe").load_all(decoded(path)):
        # The only key of a file of Rails is its language.
        is_rails = isinstance(value, dict) and list(value) in (["en"], ["lg"])
        yield from flat(next(iter(value.values())) if is_rails else value)


def read_csv(path):
    source = decoded(path)
    delimiter = max(",;\t|", key=source.split("\n", 1)[0].count)
    for row in csv.reader(io.StringIO(source, newline=""), delimiter=delimiter, strict=True):
        yield f"row of {len(row)}", ""
        yield from (("cell", cell) for cell in row)


def read_subtitles(path):
    for event in pysubs2.SSAFile.from_string(decoded(path).replace("\r\r\n", "\n")):
        yield f"{event.type} {event.start} {event.end} {event.style}", event.plaintext


def read_vtt(path):
    for caption in webvtt.from_string(decoded(path)).captions:
        yield f"{caption.identifier} {caption.start} {caption.end}", caption.text


def read_markdown(path):
    for token in MarkdownIt("commonmark").enable("table").parse(decoded(path)):
        yield f"{token.type} {token.tag} {token.level}", token.content
        for child in token.children or []:
            if child.type not in ("text", "softbreak", "html_inline"):
                yield f"{child.type} {child.attrs.get('href', '')}", ""


def read_html(path):
    readable = {"alt", "title", "placeholder", "label", "content", "value", "lang", "aria-label"}
    for element in html.document_fromstring(decoded(path)).iter():
        if isinstance(element.tag, str):
            attributes = {name: value for name, value in element.attrib.items() if name not in readable}
            yield f"{element.tag} {sorted(element.attrib)} {sorted(attributes.values())}", element.text
            yield "after", element.tail
        else:
            yield "other", element.text


def read_text(path):
    for line in re.split(r"\r\n|[\r\n]", decoded(path)):
        yield "line" if line.strip() else "empty line", line


READERS = {
    "docx": read_docx,
    "pptx": read_pptx,
    "xlsx": read_xlsx,
    "odt": read_odt,
    "po": read_po,
    "xliff": read_xliff,
    "properties": read_properties,
    "strings": read_strings,
    "android": lambda path: read_units(aresource.AndroidResourceFile, path),
    "arb": read_arb,
    "json": read_json,
    "yaml": read_yaml,
    "csv": read_csv,
    "srt": read_subtitles,
    "ass": read_subtitles,
    "vtt": read_vtt,
    "markdown": read_markdown,
    "html": read_html,
    "text": read_text,
}


def difference(pair):
    read = READERS[pair["format"]]
    try:
        before = [(kind, plain(words)) for kind, words in read(pair["before"])]
    except Exception:  # any error of a program: it cannot open the original
        return None
    if pair["format"] == "po" and before[0][0] != "msgfmt ends with 0":
        before = before[1:]
    try:
        after = [(kind, plain(words)) for kind, words in read(pair["after"])]
    except Exception as error:  # any error of a program is the finding
        return f"{type(error).__name__}: {error}"
    after = after[len(after) - len(before) :] if pair["format"] == "po" else after
    shown = (lambda part: (part[0], part[1].lower())) if pair["is_same"] else (lambda part: part[0])
    expected, found = [shown(part) for part in before], [shown(part) for part in after]
    for one, other in zip(expected, found):
        if one != other:
            return f"{one!r} became {other!r}"
    return None if len(expected) == len(found) else f"{len(expected)} parts became {len(found)}"


def opened(pair):
    try:
        return bool(list(READERS[pair["format"]](pair["before"])))
    except Exception:  # as above
        return False


def main():
    pairs = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    counts = Counter(pair["format"] for pair in pairs if opened(pair))
    findings = [f"{pair['name']}: {found}" for pair in pairs if (found := difference(pair))]
    json.dump({"opened": counts, "findings": findings}, sys.stdout)


main()

import * as fc from "fast-check";
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { fromMarkdown } from "mdast-util-from-markdown";
import { type DefaultTreeAdapterTypes, parse } from "parse5";
import { parse as parseYaml } from "yaml";
import type { DocumentFormat } from "../../shared/documents/document-formats.ts";
import { readXmlTokens } from "../../shared/documents/segments/xml-tokens.ts";

/** Generates documents of a format, and shows what of them no translation may change. */
export interface GeneratedFormat {
  readonly format: DocumentFormat;
  readonly documents: fc.Arbitrary<Uint8Array>;
  /** Returns the structure of a document, without its words. */
  readonly structureOf: (bytes: Uint8Array) => string;
  /** Returns the document without what its translations are written into; by default the whole document. */
  readonly outside?: (bytes: Uint8Array) => string;
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8");
const bytesOf = (source: string): Uint8Array => new TextEncoder().encode(source);

const word = fc.stringMatching(/^[a-zA-ZŋÉ]{1,9}$/);
/** Words with what people write between them, but nothing that a format could read as markup. */
const sentence = fc
  .array(
    fc.oneof({ weight: 6, arbitrary: word }, fc.constantFrom("42", "it’s", "3.5 kg", "{n}", "%s", "👋")),
    {
      minLength: 1,
      maxLength: 7,
    },
  )
  .map((words) => words.join(" "));

const lineEnd = fc.constantFrom("\n", "\r\n");
const document = (parts: fc.Arbitrary<string>, separator = ""): fc.Arbitrary<Uint8Array> =>
  fc.array(parts, { minLength: 1, maxLength: 6 }).map((all) => bytesOf(all.join(separator)));

const plainText: GeneratedFormat = {
  format: "text",
  documents: fc
    .tuple(
      fc.array(fc.oneof(sentence, fc.constantFrom("", "  ", "\t- ")), { minLength: 1, maxLength: 8 }),
      lineEnd,
    )
    .map(([lines, end]) => bytesOf(lines.join(end))),
  structureOf: (bytes) => text(bytes).replaceAll(/[^\r\n]+/g, "x"),
};

const htmlText = fc
  .tuple(sentence, fc.constantFrom("", " &amp; ", "&nbsp;", " &lt;3 ", " &#39;", "\n     "), sentence)
  .map(([before, between, after]) => before + between + after);

const inlineHtml = fc.oneof(
  htmlText,
  htmlText.map((inner) => `<b>${inner}</b>`),
  htmlText.map(
    (inner) => `<a href="/x?a=1&b=2" title="${inner.replaceAll("\n", " ")}">${inner} <i>so</i></a>`,
  ),
  fc.constantFrom(
    "<br>",
    "<code>a < b</code>",
    "<!-- no -->",
    '<img alt="a cat" src=x>',
    '<span translate="no">Oh</span>',
  ),
);

const htmlBlock = fc
  .tuple(
    fc.array(inlineHtml, { minLength: 1, maxLength: 5 }),
    fc.constantFrom("p", "li", "td", "h1", "div class=notranslate", "pre", "script"),
  )
  .map(([parts, tag]) => `<${tag}>${parts.join(" ")}</${tag.split(" ")[0]}>\n`);

const tagsOf = (source: string): string => {
  const tags: string[] = [];
  const rest: DefaultTreeAdapterTypes.Node[] = [parse(source)];
  for (let node = rest.pop(); node; node = rest.pop()) {
    tags.push(node.nodeName === "#text" ? "" : node.nodeName);
    if ("childNodes" in node) rest.push(...node.childNodes);
  }
  return tags
    .filter((tag) => tag !== "")
    .toSorted()
    .join(" ");
};

const html: GeneratedFormat = {
  format: "html",
  documents: document(htmlBlock).map((body) =>
    bytesOf(`<!doctype html><title>A page</title>\n${text(body)}`),
  ),
  structureOf: (bytes) => tagsOf(text(bytes)),
};

const markdownText = fc
  .tuple(sentence, fc.constantFrom(" ", " \\* ", " &amp; ", " a_b ", "\\_"), sentence)
  .map(([before, between, after]) => before + between + after);

const inlineMarkdown = fc.oneof(
  markdownText,
  markdownText.map((inner) => `**${inner}**`),
  markdownText.map((inner) => `[${inner}](https://x.org/a_b "T")`),
  fc.constantFrom("`a_b * c`", "![a cat](x.png)", "<b>so</b>", "https://x.org/a_b"),
);

const markdownBlock = fc
  .tuple(
    fc.array(inlineMarkdown, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(" ")),
    fc.constantFrom("", "# ", "- ", "> ", "1. ", "| "),
  )
  .map(([inline, mark]) =>
    mark === "| " ? `| a | b |\n|---|---|\n| ${inline} | x |\n` : `${mark}${inline}\n`,
  );

const markdown: GeneratedFormat = {
  format: "markdown",
  documents: document(fc.oneof(markdownBlock, fc.constant("```\ncode a\n```\n")), "\n"),
  structureOf: (bytes) => {
    const types: string[] = [];
    const rest: { readonly type: string; readonly children?: readonly object[] }[] = [
      fromMarkdown(text(bytes)),
    ];
    for (let node = rest.pop(); node; node = rest.pop()) {
      if (node.type !== "text") types.push(node.type);
      for (const child of node.children ?? []) if ("type" in child) rest.push(child as typeof node);
    }
    return types.toSorted().join(" ");
  },
};

const times = (index: number, separator: string): string =>
  `00:00:${String(index * 3).padStart(2, "0")}${separator}000 --> 00:00:${String(index * 3 + 2).padStart(2, "0")}${separator}500`;

const shortLine = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(" "));
const cueText = fc.oneof(
  shortLine,
  fc.tuple(shortLine, shortLine).map((lines) => lines.join("\n")),
  fc.tuple(shortLine, shortLine).map(([one, other]) => `- ${one}\n- ${other}`),
  shortLine.map((inner) => `<i>${inner}</i> so`),
);

const subtitles = (format: "srt" | "vtt"): GeneratedFormat => ({
  format,
  documents: fc.tuple(fc.array(cueText, { minLength: 1, maxLength: 6 }), lineEnd).map(([cues, end]) => {
    const separator = format === "srt" ? "," : ".";
    const written = cues.map((cue, index) => `${index + 1}\n${times(index, separator)}\n${cue}\n`);
    const head = format === "vtt" ? "WEBVTT\n\nNOTE no words\n\n" : "";
    return bytesOf((head + written.join("\n")).replaceAll("\n", end));
  }),
  structureOf: (bytes) =>
    (text(bytes).match(/^\d+\r?$|^.*-->.*$/gm) ?? []).join("\n") + text(bytes).split(/\r?\n\r?\n/).length,
});

const poText = fc
  .tuple(sentence, fc.constantFrom(" ", "\\n", ' \\"x\\" ', "\\t"), sentence)
  .map(([before, between, after]) => before + between + after);

/** What each grammar replaces, also next to letters. */
const grammars: Readonly<Record<string, readonly string[]>> = {
  c: ["%s", "%dMB", "100%%", "%'d", "%5.1fs", "%-10s"],
  php: ["%1$stext%2$s", "%d", "%%"],
  python: ["%r", "%(name)s", "%d%%", "%.2fs"],
  "python-brace": ["{}", "{name}", "{0:>8}", "{{so}}"],
  "perl-brace": ["{name}"],
  javascript: ["%s", "%j"],
  "java-printf": ["%1$s", "%n", "%,d"],
  java: ["{0}", "{1,number}"],
  qt: ["%1", "%L2", "%1%2"],
  "qt-plural": ["%n", "%Ln"],
  kde: ["%1", "%2"],
  boost: ["%1%", "%|2$s|", "%%"],
  ruby: ["%{name}", "%<n>d", "%s"],
  csharp: ["{0}", "{1:N2}"],
  sh: ["$name", "\u0024{name}"],
  lisp: ["~A", "~2,1F", "~~"],
  scheme: ["~s", "~%"],
  smalltalk: ["%1", "%%"],
  "object-pascal": ["%0:s", "%d"],
  "gcc-internal": ["%qs", "%<", "%>"],
};

const poFormats = fc
  .constantFrom(...Object.entries(grammars))
  .chain(([grammar, placeholders]) =>
    fc
      .array(fc.oneof(word, fc.constantFrom(...placeholders)), { minLength: 2, maxLength: 6 })
      .map((parts) => [`Say ${parts.join(" ")}`, `#, ${grammar}-format\n`] as const),
  );

/** An entry, and at times another one whose words are equal and cut into other strings. */
const poEntries = fc
  .tuple(fc.oneof(fc.tuple(poText, fc.constantFrom("#: a.c:1\n", "# note\n", "")), poFormats), fc.boolean())
  .map(([[written, comment], isTwice]) => {
    const cut = written.split(/(?<=[a-z])(?=[a-z]{3})/).map((part) => `"${part}"`);
    const again = `\n${comment}msgctxt "b"\nmsgid ""\n${cut.join("\n")}\nmsgstr ""\n`;
    return `${comment}msgid "${written}"\nmsgstr ""\n${isTwice ? again : ""}`;
  });

const withoutTranslations = (bytes: Uint8Array): string =>
  text(bytes).replaceAll(/^(msgstr(?:\[\d\])?) ".*"$(?:\n".*"$)*/gm, "$1");

const po: GeneratedFormat = {
  format: "po",
  documents: document(poEntries, "\n").map((entries) =>
    bytesOf(`msgid ""\nmsgstr "Language: en\\n"\n\n${text(entries)}`),
  ),
  structureOf: withoutTranslations,
  outside: withoutTranslations,
};

const xliffText = fc
  .tuple(sentence, fc.constantFrom(" ", " &amp; ", ' <x id="1"/> ', ' <g id="2">so</g> '), sentence)
  .map(([before, between, after]) => before + between + after);

/** Those of a translator stay. */
const withoutTargets = (source: string): string =>
  source.replaceAll(/\s*<target\b(?:[^>]*\/>|[^>]*>(?!Omuntu)[\s\S]*?<\/target>)/g, "");

const targets = [
  ...["", "<target/>", "<target></target>", "<target>Omuntu</target>"],
  ...["new", "needs-translation"].map((state) => `<target state="${state}">Old</target>`),
  ...["needs-review-translation", "needs-adaptation", "translated", "final", "signed-off"].map(
    (state) => `<target state="${state}">Omuntu</target>`,
  ),
];

const xliff: GeneratedFormat = {
  format: "xliff",
  documents: document(
    fc
      .tuple(xliffText, fc.constantFrom(...targets))
      .map(
        ([source, target]) => `<trans-unit id="a">\n  <source>${source}</source>\n  ${target}</trans-unit>\n`,
      ),
  ).map((units) =>
    bytesOf(
      `<?xml version="1.0"?>\n<xliff version="1.2"><file source-language="en" original="a"><body>\n${text(units)}</body></file></xliff>`,
    ),
  ),
  structureOf: (bytes) => withoutTargets(text(bytes)),
  outside: (bytes) => withoutTargets(text(bytes)),
};

const withoutStrings = (value: unknown): string =>
  JSON.stringify(value, (_key, inner) => (typeof inner === "string" ? "" : inner));

const json: GeneratedFormat = {
  format: "json",
  documents: fc
    .dictionary(
      fc.stringMatching(/^[a-z.]{1,8}$/),
      fc.oneof(
        sentence,
        sentence.map((value) => `${value}\n"${value}" \\ `),
        fc.integer(),
        fc.constant(null),
        fc.boolean(),
        fc.array(sentence),
      ),
      { minKeys: 1, maxKeys: 6 },
    )
    .map((value) => bytesOf(JSON.stringify(value, null, 2))),
  structureOf: (bytes) => withoutStrings(JSON.parse(text(bytes).replace("\uFEFF", ""))),
};

const csvCell = fc.oneof(
  sentence,
  sentence.map((cell) => `"${cell}, ""${cell}"""`),
  sentence.map((cell) => `"${cell}\n${cell}"`),
);

const csv: GeneratedFormat = {
  format: "csv",
  documents: fc
    .array(fc.tuple(csvCell, csvCell), { minLength: 1, maxLength: 5 })
    .map((rows) =>
      bytesOf(`title,note,id\n${rows.map((cells, index) => `${cells.join(",")},${index}\n`).join("")}`),
    ),
  structureOf: (bytes) => text(bytes).replaceAll(/"(?:[^"]|"")*"|[^,\n]+/g, "x"),
};

const run = fc
  .tuple(sentence, fc.constantFrom("", "<w:rPr><w:b/></w:rPr>", "<w:rPr><w:i/></w:rPr>"))
  .map(([words, format]) => `<w:r>${format}<w:t xml:space="preserve">${words} </w:t></w:r>`);

/** Paragraphs with the same words and formatting, cut into different runs. */
const equalParagraphs = fc
  .tuple(sentence, word, fc.array(fc.nat(12), { maxLength: 3 }))
  .map(([words, bold, cuts]) => {
    const characters = Array.from(words);
    const ends = [...cuts.toSorted((one, other) => one - other), characters.length];
    const parts = ends.map((end, index) => characters.slice(ends[index - 1] ?? 0, end).join(""));
    const write = (text: string, format = ""): string =>
      `<w:r>${format}<w:t xml:space="preserve">${text}</w:t></w:r>`;
    const end = write(` ${bold}`, "<w:rPr><w:b/></w:rPr>");
    return `<w:p>${write(words)}${end}</w:p><w:p>${parts.map((part) => write(part)).join("")}${end}</w:p>`;
  });

const office = "http://schemas.openxmlformats.org";
const officeType = "application/vnd.openxmlformats-officedocument";

/** The content types of a package's parts. */
const contentTypes = (parts: Readonly<Record<string, string>>): string =>
  `<Types xmlns="${office}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${Object.entries(
    parts,
  )
    .map(([name, type]) => `<Override PartName="/${name}" ContentType="${officeType}.${type}+xml"/>`)
    .join("")}</Types>`;

/** The relationships of a part, by the files that they point to. */
const relationships = (targets: Readonly<Record<string, string>>): string =>
  `<Relationships xmlns="${office}/package/2006/relationships">${Object.entries(targets)
    .map(
      ([target, type], index) =>
        `<Relationship Id="rId${index + 1}" Type="${office}/officeDocument/2006/relationships/${type}" Target="${target}"/>`,
    )
    .join("")}</Relationships>`;

const alone = fc.constantFrom(
  "<w:r><w:tab/></w:r>",
  "<w:r><w:br/></w:r>",
  '<w:bookmarkStart w:id="1" w:name="b"/><w:bookmarkEnd w:id="1"/>',
  '<w:bookmarkStart w:id="2" w:name="_GoBack"/><w:bookmarkEnd w:id="2"/>',
  '<w:proofErr w:type="spellStart"/>',
);

const linked = run.map(
  (inner) => `<w:hyperlink w:anchor="b">${inner}</w:hyperlink><w:r><w:t> so </w:t></w:r>`,
);

/** A file of keys with values, each on a line of its own. */
const keyValues = (
  format: DocumentFormat,
  entry: fc.Arbitrary<string>,
  [before, after]: readonly [string, string] = ["", ""],
  structureOf = (source: string): string => source.replaceAll(/=.*$/gm, "="),
): GeneratedFormat => ({
  format,
  documents: document(entry, "\n").map((entries) => bytesOf(`${before}${text(entries)}\n${after}`)),
  structureOf: (bytes) => structureOf(text(bytes).replace("\uFEFF", "")),
});

const properties = keyValues(
  "properties",
  fc
    .tuple(sentence, fc.constantFrom(" ", "\\t", " \\u00e9 ", " \\= "), sentence)
    .map((parts) => `a.b = Say ${parts.join("")}`),
);

const strings = keyValues(
  "strings",
  fc
    .tuple(sentence, fc.constantFrom(" ", "\\n", ' \\"x\\" ', " %@ "), sentence)
    .map((parts) => `"a" = "${parts.join("")}";`),
);

const yaml = keyValues(
  "yaml",
  fc
    .tuple(sentence, fc.constantFrom("", '"', "'"))
    .map(([words, quote]) => `- a: ${quote}Say ${words}${quote}`),
  undefined,
  (source) => withoutStrings(parseYaml(source)),
);

const arb = keyValues(
  "arb",
  sentence.map((words) => `"a": ${JSON.stringify(words)},`),
  ['{"@@locale": "en",\n', '"@a": {"description": "Stays"}}'],
  (source) => withoutStrings(JSON.parse(source)),
);

const android = keyValues(
  "android",
  fc
    .tuple(
      sentence,
      fc.constantFrom(" ", "\\'", " &amp; ", " <b>so</b> ", "\\n", ' <xliff:g id="a">x</xliff:g> '),
      sentence,
    )
    .map((parts) => `<string name="a">${parts.join("")}</string>`),
  ['<resources xmlns:xliff="x">\n', "</resources>"],
  (source) =>
    readXmlTokens(source)
      .map(({ kind, name }) => `${kind} ${name}`)
      .filter((token) => !token.startsWith("text"))
      .toSorted()
      .join("\n"),
);

const assTime = "0:00:01.00,0:00:02.00";
const ass: GeneratedFormat = {
  format: "ass",
  documents: document(
    fc
      .tuple(shortLine, fc.constantFrom(" ", "\\N", " {\\i1}", "\\h"), shortLine)
      .map((parts) => `Dialogue: 0,${assTime},Default,,0,0,0,,${parts.join("")}`),
    "\n",
  ).map((lines) =>
    bytesOf(
      `[Script Info]\nTitle: a b\nScriptType: v4.00+\n\n[V4+ Styles]\nFormat: Name, Fontname\nStyle: Default,Arial\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\nComment: 0,${assTime},Default,,0,0,0,,a b\n${text(lines)}\n`,
    ),
  ),
  structureOf: (bytes) => text(bytes).replaceAll(/(,0,0,0,,).*/g, "$1"),
};

/** A format that is XML in a ZIP file. */
const zipped = (
  format: DocumentFormat,
  files: Readonly<Record<string, string>>,
  [name, before, after]: readonly [string, string, string],
  paragraph: fc.Arbitrary<string>,
): GeneratedFormat => ({
  format,
  documents: fc.array(paragraph, { minLength: 1, maxLength: 5 }).map((paragraphs) =>
    zipSync({
      ...Object.fromEntries(Object.entries(files).map(([file, content]) => [file, strToU8(content)])),
      [name]: strToU8(before + paragraphs.join("") + after),
    }),
  ),
  structureOf: (bytes) =>
    readXmlTokens(strFromU8(unzipSync(bytes)[name] ?? new Uint8Array()))
      .filter(({ name: tag }) => /(?:p|si|span|br|tab|hyperlink|bookmark\w+)$/.test(tag))
      .map(({ kind, name: tag }) => `${kind} ${tag}`)
      .toSorted()
      .join(" "),
});

const drawingRun = fc
  .tuple(
    sentence,
    fc.constantFrom("", '<a:rPr b="1"/>', '<a:rPr lang="en-GB" i="1"><a:latin typeface="x"/></a:rPr>'),
  )
  .map(([words, format]) => `<a:r>${format}<a:t>${words} </a:t></a:r>`);

const docx = zipped(
  "docx",
  {
    "[Content_Types].xml": contentTypes({ "word/document.xml": "wordprocessingml.document.main" }),
    "_rels/.rels": relationships({ "word/document.xml": "officeDocument" }),
    "word/media/a.png": "1",
  },
  [
    "word/document.xml",
    `<?xml version="1.0"?><w:document xmlns:w="${office}/wordprocessingml/2006/main"><w:body>`,
    "<w:sectPr/></w:body></w:document>",
  ],
  fc.oneof(
    equalParagraphs,
    fc.array(fc.oneof(run, linked, alone), { maxLength: 5 }).map((runs) => `<w:p>${runs.join("")}</w:p>`),
  ),
);

const pptx = zipped(
  "pptx",
  {
    "[Content_Types].xml": contentTypes({
      "ppt/presentation.xml": "presentationml.presentation.main",
      "ppt/slides/slide1.xml": "presentationml.slide",
    }),
    "_rels/.rels": relationships({ "ppt/presentation.xml": "officeDocument" }),
    "ppt/_rels/presentation.xml.rels": relationships({ "slides/slide1.xml": "slide" }),
    "ppt/presentation.xml": `<p:presentation xmlns:p="${office}/presentationml/2006/main" xmlns:r="${office}/officeDocument/2006/relationships"><p:sldIdLst><p:sldId id="256" r:id="rId1"/></p:sldIdLst></p:presentation>`,
  },
  [
    "ppt/slides/slide1.xml",
    `<p:sld xmlns:p="${office}/presentationml/2006/main" xmlns:a="${office}/drawingml/2006/main"><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/><p:sp><p:nvSpPr><p:cNvPr id="2" name="T"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>`,
    "</p:txBody></p:sp></p:spTree></p:cSld></p:sld>",
  ],
  fc
    .array(fc.oneof(drawingRun, fc.constant("<a:br/>")), { maxLength: 4 })
    .map((runs) => `<a:p>${runs.join("")}</a:p>`),
);

const spreadsheet = `${office}/spreadsheetml/2006/main`;

const xlsx = zipped(
  "xlsx",
  {
    "[Content_Types].xml": contentTypes({
      "xl/workbook.xml": "spreadsheetml.sheet.main",
      "xl/worksheets/sheet1.xml": "spreadsheetml.worksheet",
      "xl/sharedStrings.xml": "spreadsheetml.sharedStrings",
    }),
    "_rels/.rels": relationships({ "xl/workbook.xml": "officeDocument" }),
    "xl/_rels/workbook.xml.rels": relationships({
      "worksheets/sheet1.xml": "worksheet",
      "sharedStrings.xml": "sharedStrings",
    }),
    "xl/workbook.xml": `<workbook xmlns="${spreadsheet}" xmlns:r="${office}/officeDocument/2006/relationships"><sheets><sheet name="One" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    "xl/worksheets/sheet1.xml": `<worksheet xmlns="${spreadsheet}"><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1"><v>42</v></c></row></sheetData></worksheet>`,
  },
  ["xl/sharedStrings.xml", `<sst xmlns="${spreadsheet}">`, "</sst>"],
  fc.oneof(
    sentence.map((words) => `<si><t>Say ${words}</t></si>`),
    fc
      .tuple(sentence, sentence)
      .map(([one, other]) => `<si><r><t>Say ${one} </t></r><r><rPr><b/></rPr><t>${other}</t></r></si>`),
  ),
);

const openDocument = "urn:oasis:names:tc:opendocument:xmlns";

const odt = zipped(
  "odt",
  {
    mimetype: "application/vnd.oasis.opendocument.text",
    "META-INF/manifest.xml": `<manifest:manifest xmlns:manifest="${openDocument}:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.text"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>`,
  },
  [
    "content.xml",
    `<office:document-content xmlns:office="${openDocument}:office:1.0" xmlns:text="${openDocument}:text:1.0"><office:body><office:text>`,
    "</office:text></office:body></office:document-content>",
  ],
  fc
    .array(
      fc.oneof(
        sentence,
        sentence.map((words) => ` <text:span text:style-name="T1">${words}</text:span> `),
        fc.constantFrom(
          "<text:tab/>",
          "<text:s/>",
          '<text:note text:note-class="footnote"><text:note-body><text:p>A note</text:p></text:note-body></text:note>',
        ),
      ),
      { maxLength: 4 },
    )
    .map((parts) => `<text:p>${parts.join("")}</text:p>`),
);

/** All formats, with documents to translate. */
export const generatedFormats: readonly GeneratedFormat[] = [
  plainText,
  html,
  markdown,
  subtitles("srt"),
  subtitles("vtt"),
  po,
  xliff,
  json,
  csv,
  docx,
  properties,
  strings,
  yaml,
  arb,
  android,
  ass,
  pptx,
  xlsx,
  odt,
];

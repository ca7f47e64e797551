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

/** An entry, and at times another one whose words are equal and cut into other strings. */
const poEntries = fc
  .tuple(poText, fc.constantFrom("#: a.c:1\n", "# note\n", "#, c-format\n", ""), fc.boolean())
  .map(([written, comment, isTwice]) => {
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

const withoutTargets = (source: string): string =>
  source.replaceAll(/\s*<target\b(?:[^>]*\/>|[^>]*>[\s\S]*?<\/target>)/g, "");

const xliff: GeneratedFormat = {
  format: "xliff",
  documents: document(
    fc
      .tuple(xliffText, fc.constantFrom("", "<target/>", "<target></target>"))
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

const docx: GeneratedFormat = {
  format: "docx",
  documents: fc
    .array(
      fc.oneof(
        equalParagraphs,
        fc
          .array(
            fc.oneof(run, fc.constantFrom("<w:r><w:tab/></w:r>", '<w:bookmarkStart w:id="1" w:name="b"/>')),
            {
              maxLength: 5,
            },
          )
          .map((runs) => `<w:p>${runs.join("")}</w:p>`),
      ),
      { minLength: 1, maxLength: 5 },
    )
    .map((paragraphs) =>
      zipSync({
        "[Content_Types].xml": strToU8("<Types/>"),
        "word/document.xml": strToU8(
          `<?xml version="1.0"?><w:document xmlns:w="w"><w:body>${paragraphs.join("")}</w:body></w:document>`,
        ),
        "word/media/a.png": new Uint8Array([1, 2, 3]),
      }),
    ),
  structureOf: (bytes) =>
    Object.entries(unzipSync(bytes))
      .map(([name, content]) =>
        name === "word/document.xml"
          ? readXmlTokens(strFromU8(content))
              .filter(({ name: tag }) => tag === "w:p" || tag.startsWith("w:bookmark") || tag === "w:tab")
              .map(({ kind, name: tag }) => `${kind} ${tag}`)
              .join(" ")
          : `${name} ${content.join()}`,
      )
      .join("\n"),
};

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
  ).map((lines) => bytesOf(`[Script Info]\nTitle: a b\n\n[Events]\nComment: 0,a b\n${text(lines)}\n`)),
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
      .filter(({ name: tag }) => /(?:p|si|span|br|tab)$/.test(tag))
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

const pptx = zipped(
  "pptx",
  { "ppt/presentation.xml": "<a/>" },
  ["ppt/slides/slide1.xml", '<p:sld xmlns:p="p" xmlns:a="a">', "</p:sld>"],
  fc
    .array(fc.oneof(drawingRun, fc.constant("<a:br/>")), { maxLength: 4 })
    .map((runs) => `<a:p>${runs.join("")}</a:p>`),
);

const xlsx = zipped(
  "xlsx",
  { "xl/workbook.xml": "<a/>" },
  ["xl/sharedStrings.xml", '<sst xmlns="s">', "</sst>"],
  fc.oneof(
    sentence.map((words) => `<si><t>Say ${words}</t></si>`),
    fc
      .tuple(sentence, sentence)
      .map(([one, other]) => `<si><r><t>Say ${one} </t></r><r><rPr><b/></rPr><t>${other}</t></r></si>`),
  ),
);

const odt = zipped(
  "odt",
  {},
  ["content.xml", '<office:text xmlns:office="o" xmlns:text="t">', "</office:text>"],
  fc
    .array(
      fc.oneof(
        sentence,
        sentence.map((words) => ` <text:span text:style-name="T1">${words}</text:span> `),
        fc.constantFrom("<text:tab/>", "<text:s/>", "<text:note><text:p>A note</text:p></text:note>"),
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

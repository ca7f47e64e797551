import { describe, expect, it } from "vitest";
import { readXliff } from "../../../shared/documents/formats/xliff.ts";
import { translateDocument } from "../../../shared/documents/segments/translate-segments.ts";
import { readXmlTokens } from "../../../shared/documents/segments/xml-tokens.ts";

const translated = (source: string, translate: (text: string) => string) =>
  translateDocument(readXliff(source), async (text) => translate(text));

const repeat = (text: string): string => text;
const upperCase = (text: string): string => text.toUpperCase();
const withoutTags = (text: string): string => text.replaceAll(/<[^>]*>/g, "");

const inXliff = (units: string): string =>
  `<?xml version="1.0"?>\n<xliff version="1.2"><file><body>\n${units}\n</body></file></xliff>\n`;
const inUnit = (content: string): string => inXliff(`<trans-unit id="a">${content}</trans-unit>`);

const version12 = inXliff(`    <trans-unit id="1">
      <source>Hello <g id="1">big <x id="2"/>world</g> &amp; all of {name}</source>
    </trans-unit>
    <trans-unit id="2">
      <source>Old words</source>
      <target state="needs-translation">Old</target>
      <alt-trans><source>Another source</source><target>Another</target></alt-trans>
      <note>A note</note>
    </trans-unit>
    <trans-unit id="3"><source>Some words</source><target state="new" /></trans-unit>
    <trans-unit id="4" translate="no"><source>Not these</source></trans-unit>
    <trans-unit id="5"><source>Not these</source><target state="final">Done</target></trans-unit>
    <trans-unit id="6" approved="yes"><source>Not these</source><target>Done</target></trans-unit>
    <trans-unit id="7"><source>And these</source><target state="final"> </target></trans-unit>`);

const version2 = `<xlf:xliff xmlns:xlf="urn:oasis:names:tc:xliff:document:2.0" version="2.1" srcLang="en" trgLang="lg">
  <xlf:file id="f" translate="no">
    <xlf:unit id="1" translate="yes">
      <xlf:segment id="s" state="initial">
        <xlf:source>Press <xlf:pc id="1"><xlf:ph id="2"/>OK</xlf:pc> to go on</xlf:source>
      </xlf:segment>
      <xlf:ignorable><xlf:source> - </xlf:source></xlf:ignorable>
      <xlf:segment state="translated">
        <xlf:source>Not these</xlf:source>
        <xlf:target>Done</xlf:target>
      </xlf:segment>
    </xlf:unit>
    <xlf:unit id="2"><xlf:segment><xlf:source>Nor these</xlf:source></xlf:segment></xlf:unit>
  </xlf:file>
</xlf:xliff>`;

/** What is not in a target. */
const withoutTargets = (text: string): string =>
  text
    .replaceAll(/ state="(?:initial|translated)"/g, "")
    .replaceAll(/\s*<(?:xlf:)?target(?:[^>]*\/>|[^>]*>[\s\S]*?<\/(?:xlf:)?target>)/g, "");

describe("An XLIFF file", () => {
  it("stays the same outside its targets when the model repeats its words", async () => {
    for (const source of [version12, version2, version12.replaceAll("\n", "\r\n"), `\uFEFF${version2}`]) {
      const { text, untranslated } = await translated(source, repeat);
      expect(untranslated).toEqual([]);
      expect(withoutTargets(text)).toBe(withoutTargets(source));
      expect(text).not.toBe(source);
    }
  });

  it("of version 1.2 has its targets written, and those that are missing on a line after their source", async () => {
    const { text } = await translated(version12, upperCase);
    expect(text).toBe(
      inXliff(`    <trans-unit id="1">
      <source>Hello <g id="1">big <x id="2"/>world</g> &amp; all of {name}</source>
      <target state="needs-review-translation">HELLO <g id="1">BIG <x id="2"/>WORLD</g> &amp; ALL OF {name}</target>
    </trans-unit>
    <trans-unit id="2">
      <source>Old words</source>
      <target state="needs-review-translation">OLD WORDS</target>
      <alt-trans><source>Another source</source><target>Another</target></alt-trans>
      <note>A note</note>
    </trans-unit>
    <trans-unit id="3"><source>Some words</source><target state="needs-review-translation">SOME WORDS</target></trans-unit>
    <trans-unit id="4" translate="no"><source>Not these</source></trans-unit>
    <trans-unit id="5"><source>Not these</source><target state="final">Done</target></trans-unit>
    <trans-unit id="6" approved="yes"><source>Not these</source><target>Done</target></trans-unit>
    <trans-unit id="7"><source>And these</source><target state="needs-review-translation">AND THESE</target></trans-unit>`),
    );
  });

  it("of version 2 has its targets written, with the prefix of its elements and the line ends of the file", async () => {
    const { text } = await translated(version2.replaceAll("\n", "\r\n"), upperCase);
    const target = '<xlf:target>PRESS <xlf:pc id="1"><xlf:ph id="2"/>OK</xlf:pc> TO GO ON</xlf:target>';
    expect(text).toBe(
      version2
        .replace("to go on</xlf:source>", `to go on</xlf:source>\n        ${target}`)
        .replace('state="initial"', 'state="translated"')
        .replaceAll("\n", "\r\n"),
    );
  });

  it.each([
    ["<source>  <g id='1'>Some\n  words</g> </source>", "  <g id='1'>SOME\n  WORDS</g> "],
    [
      "<source>Fish &amp; &lt;2 chips&gt;&#10;at &#xe9;t&#233;</source>",
      "FISH &amp; &lt;2 CHIPS&gt;&#10;AT ÉT&#233;",
    ],
    [
      '<source>Run <ph id="1">a <sub>b</sub></ph> <mrk mtype="protected">not this</mrk> now</source>',
      'RUN <ph id="1">a <sub>b</sub></ph> <mrk mtype="protected">not this</mrk> NOW',
    ],
    [
      '<source>a b</source><seg-source><mrk mid="1">One.</mrk> <mrk mid="2">Two.</mrk></seg-source>',
      '<mrk mid="1">ONE.</mrk> <mrk mid="2">TWO.</mrk>',
    ],
    [
      "<source><![CDATA[<p>Some <b>words</b> & more</p>]]></source>",
      "<![CDATA[<p>SOME <b>WORDS</b> & MORE</p>]]>",
    ],
    [
      "<source>Some <!-- note --> <![CDATA[code]]> words</source>",
      "SOME <!-- note --> <![CDATA[code]]> WORDS",
    ],
  ])("has all parts of a source in its target: %j", async (content, target) => {
    const { text } = await translated(inUnit(content), upperCase);
    expect(text).toBe(inUnit(`${content}<target state="needs-review-translation">${target}</target>`));
  });

  it("has special characters of a translation escaped", async () => {
    const { text } = await translated(inUnit("<source>Words</source>"), () => `a < b && c > d's "e"`);
    expect(text).toContain(`>a &lt; b &amp;&amp; c &gt; d's "e"</target>`);
    const cdata = inUnit("<source><![CDATA[Words]]></source>");
    expect(await translated(cdata, () => "a ]]> b")).toMatchObject({
      text: cdata,
      untranslated: [{ index: 0, reason: "structure_changed" }],
    });
  });

  it("keeps a unit whose tags the model loses, or reorders when they depend on each other", async () => {
    const lost = inUnit('<source>Some <g id="1">words</g></source>');
    expect(await translated(lost, withoutTags)).toMatchObject({
      text: lost,
      untranslated: [{ index: 0, reason: "markup_lost" }],
    });
    const reordered = inUnit('<source>Some <bx id="1"/>words<ex id="1"/> here</source>');
    const swap = (text: string): string => text.replace(/(<1\/>)(.*)(<2\/>)/, "$3$2$1");
    expect((await translated(reordered, swap)).untranslated).toEqual([{ index: 0, reason: "markup_lost" }]);
    expect((await translated(reordered, repeat)).untranslated).toEqual([]);
  });

  it("has a long unit translated at once, or not at all", async () => {
    const long = (count: number): string => inUnit(`<source> ${"Some <x/>words. ".repeat(count)}</source>`);
    expect((await translated(long(280), upperCase)).text).toContain(
      `> ${"SOME <x/>WORDS. ".repeat(280)}</target>`,
    );
    expect(await translated(long(1000), repeat)).toMatchObject({
      text: long(1000),
      untranslated: [{ reason: "too_long" }],
    });
  });

  it("may be nested deeply", async () => {
    const depth = 20_000;
    const deep = (content: string): string => `${"<g>".repeat(depth)}${content}${"</g>".repeat(depth)}`;
    const source = inUnit(`<source>${deep("Words")}</source>`);
    expect((await translated(source, upperCase)).text).toContain(`>${deep("WORDS")}</target>`);
    const units = `${"<trans-unit><source>".repeat(depth)}Words${"</source></trans-unit>".repeat(depth)}`;
    expect(readXliff(inXliff(units)).segments).toHaveLength(1);
  });
});

describe("A target with words", () => {
  const states12 = [
    ...["translated", "signed-off", "final", "needs-adaptation", "needs-l10n", "needs-review-adaptation"],
    ...["needs-review-l10n", "needs-review-translation", "x-ours"],
  ];

  it.each([
    "<target>Ebigambo</target>",
    ...states12.map((state) => `<target state="${state}">Ebigambo</target>`),
  ])("stays in XLIFF 1.2: %s", async (target) => {
    const source = inUnit(`<source>Words</source>${target}`);
    expect(await translated(source, upperCase)).toMatchObject({
      text: source,
      untranslated: [],
      characters: 0,
    });
  });

  it.each(["", ' state="translated"', ' state="reviewed"', ' state="final"'])(
    "stays in XLIFF 2: <segment%s>",
    async (state) => {
      const source = `<xliff version="2.0" srcLang="en" trgLang="lg"><file id="a"><unit id="b"><segment${state}><source>Words</source><target>Ebigambo</target></segment></unit></file></xliff>`;
      expect((await translated(source, upperCase)).text).toBe(source);
    },
  );

  it.each([
    '<target state="new">Old</target>',
    '<target state="needs-translation">Old</target>',
    "<target> Words </target>",
    "<target/>",
    "<target> </target>",
  ])("is written when no one has translated it: %s", async (target) => {
    const { text } = await translated(inUnit(`<source>Words</source>${target}`), upperCase);
    expect(text).toBe(
      inUnit('<source>Words</source><target state="needs-review-translation">WORDS</target>'),
    );
  });

  it("is written when the caller wants all of them translated again", async () => {
    const source = inUnit('<source>Words</source><target state="final">Ebigambo</target>');
    const document = readXliff(source, { retranslate: true });
    const { text } = await translateDocument(document, async (words) => upperCase(words));
    expect(text).toContain('<target state="needs-review-translation">WORDS</target>');
  });
});

describe("An invalid XLIFF file", () => {
  it.each([
    ["<xliff>\n<file></xliff>", "The XML is invalid: line 2: unexpected close tag."],
    ["<xliff>\r\n<file>", "The XML is invalid: line 2: unclosed tag."],
    ["<xliff>\n&undefined;</xliff>", "The XML is invalid: line 2: undefined entity."],
    ["", "The XML is invalid: line 1: document must contain a root element."],
    ["words", "The XML is invalid: line 1: text data outside of root node."],
    ["<xliff>\n<x a='1' a='2'/></xliff>", "The XML is invalid: line 2: duplicate attribute."],
    ["<xliff>\n\n\uD800</xliff>", "The XML is invalid: line 3: a character is damaged."],
    [
      '<!DOCTYPE xliff [\n<!ENTITY a "b">\n]><xliff>&a;</xliff>',
      "The XML is invalid: line 3: a document type with declarations is not supported.",
    ],
    ["<html/>", "The file is not XLIFF: its first element is another one."],
  ])("is refused: %j", (source, message) => {
    expect(() => readXliff(source)).toThrow(message);
  });
});

describe("The tokens of an XML document", () => {
  it("are all of its source, in order, in UTF-16 units", () => {
    const source =
      '\uFEFF<?xml version="1.0"?>\r\n<!DOCTYPE a PUBLIC "x" "y>">\r\n<?pi a > b??>\r\n<!--- 😀 > - <b> -->\r\n' +
      "<a\r\n x='>😀' y = \"&lt;\" ><b:c/>😀 text &amp; ]] > \r\r\n<![CDATA[<x>]]]]><d z=''></d\n></a>\r\n<!----> ";
    const tokens = readXmlTokens(source);
    expect(tokens.map(({ kind, start, end }) => [kind, source.slice(start, end)])).toEqual([
      ["other", '<?xml version="1.0"?>'],
      ["text", "\r\n"],
      ["other", '<!DOCTYPE a PUBLIC "x" "y>">'],
      ["text", "\r\n"],
      ["other", "<?pi a > b??>"],
      ["text", "\r\n"],
      ["comment", "<!--- 😀 > - <b> -->"],
      ["text", "\r\n"],
      ["open", "<a\r\n x='>😀' y = \"&lt;\" >"],
      ["empty", "<b:c/>"],
      ["text", "😀 text &amp; ]] > \r\r\n"],
      ["cdata", "<![CDATA[<x>]]]]>"],
      ["open", "<d z=''>"],
      ["close", "</d\n>"],
      ["close", "</a>"],
      ["text", "\r\n"],
      ["comment", "<!---->"],
      ["text", " "],
    ]);
    expect(tokens.find(({ kind }) => kind === "open")).toMatchObject({
      name: "a",
      attributes: { x: ">😀", y: "<" },
    });
    expect(tokens.filter(({ kind }) => kind === "close").map(({ name }) => name)).toEqual(["d", "a"]);
  });
});

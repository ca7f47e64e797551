import { describe, expect, it } from "vitest";
import type { DocumentFormat } from "../../../shared/documents/document-formats.ts";
import { type DocumentOptions, openDocument } from "../../../shared/documents/document-tools.ts";
import { swapCase } from "../../support/swap-case.ts";

const languages = { source: ["en", "eng"], target: "lg" } as const;

const translated = async (
  source: string,
  format: DocumentFormat,
  options: DocumentOptions = { languages },
) => {
  const document = openDocument(Buffer.from(source), format, options);
  const seen: string[] = [];
  const results = [];
  for (const index of document.passages.keys()) {
    results.push(
      await document.translatePassage(index, async (text) => {
        seen.push(text);
        return swapCase(text);
      }),
    );
  }
  const { bytes, untranslated } = document.write(results);
  return { seen, written: Buffer.from(bytes).toString("utf8"), untranslated };
};

interface Case {
  readonly what: string;
  readonly format: DocumentFormat;
  readonly source: string;
  readonly seen: readonly string[];
  /** By default the source with what the model sees in the other case. */
  readonly written?: string;
  readonly target?: string;
}

const ass =
  "[Script Info]\nTitle: The film\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n";
const line = "Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,";
const resources = (content: string): string => `<resources xmlns:xliff="x">\n${content}\n</resources>\n`;

const cases: readonly Case[] = [
  {
    what: "continued lines with their indentation and marks",
    format: "markdown",
    source: "> note\n> **bold** text\n\n- Check\n  [the list](1) first\n",
    seen: ["note <1>bold</1> text", "Check <1>the list</1> first"],
  },
  {
    what: "lines after a break with their indentation and marks",
    format: "markdown",
    source: "> [!x]  \n> Love it  \n> now\n\n2. **Include**  \n   the list\\\n   first\n",
    seen: ["[!x]<1/>Love it<2/>now", "<1>Include</1><2/>the list<3/>first"],
  },
  {
    what: "the text of a box in it, and its title",
    format: "markdown",
    source: '!!! info "The title"\n    **This** is not\n    there.\n\n    More.\n\n??? note\n    Less.\n',
    seen: ["The title", "<1>This</1> is not there.", "More.", "Less."],
    written: '!!! info "tHE TITLE"\n    **tHIS** IS NOT\n    THERE.\n\n    mORE.\n\n??? note\n    lESS.\n',
  },
  {
    what: "no formulas, links of wikis, directives, code of MDX, or abbreviations",
    format: "markdown",
    source:
      'import Tabs from "@theme/Tabs";\n\n:::note\n\nEuler: $e = mc^2$ in [[a page]], for $5 or $6.\n\n:::\n\n$$\na b\n$$\n\n*[HTML]: Hyper\n\nexport const a = 1;\n',
    seen: ["Euler: <1/> in <2/>, for $5 or $6."],
    written:
      'import Tabs from "@theme/Tabs";\n\n:::note\n\neULER: $e = mc^2$ IN [[a page]], FOR $5 OR $6.\n\n:::\n\n$$\na b\n$$\n\n*[HTML]: Hyper\n\nexport const a = 1;\n',
  },
  {
    what: "no address of a link whose text is in brackets",
    format: "markdown",
    source: "See [[Contribute]](CONTRIBUTING.md), [[here]][There], [[a page]].\n\n[There]: HERE.md\n",
    seen: ["See <1>[Contribute]</1>, <2>[here]</2>, <3/>."],
    written: "sEE [[cONTRIBUTE]](CONTRIBUTING.md), [[HERE]][There], [[a page]].\n\n[There]: HERE.md\n",
  },
  {
    what: "what readers see of metadata in YAML",
    format: "markdown",
    source: "---\ntitle: The title\nlayout: post\ndescription: 'It is said'\n---\n\nText\n",
    seen: ["The title", "It is said", "Text"],
    written: "---\ntitle: tHE TITLE\nlayout: post\ndescription: 'iT IS SAID'\n---\n\ntEXT\n",
  },
  {
    what: "what readers see of metadata in TOML",
    format: "markdown",
    source: '+++\ntitle = "The title"\nlayout = "post"\n+++\n\nText\n',
    seen: ["The title", "Text"],
    written: '+++\ntitle = "tHE TITLE"\nlayout = "post"\n+++\n\ntEXT\n',
  },
  {
    what: "no identifiers, colours, dates, paths, locales and values of keys for programs",
    format: "json",
    source:
      '{"id":"main","type":"button","a":"user_name","b":"#ff0000","c":"2026-01-05","d":"/img/a.png","e":"https://x.org","f":"en-GB","g":"rgb(1, 2, 3)","items":[{"href":"go there","label":"Save it"}],"h":"OK then","i":"Yes"}',
    seen: ["Save it", "OK then", "Yes"],
    written:
      '{"id":"main","type":"button","a":"user_name","b":"#ff0000","c":"2026-01-05","d":"/img/a.png","e":"https://x.org","f":"en-GB","g":"rgb(1, 2, 3)","items":[{"href":"go there","label":"sAVE IT"}],"h":"ok THEN","i":"yES"}',
  },
  {
    what: "what templates replace",
    format: "json",
    source:
      '{"a":"See $t(common.key)","b":"%{count} files","c":"Hi $USER$","e":"__name__ is here","f":"Go @:back now"}',
    seen: ["See <1/>", "<1/> files", "Hi <1/>", "<1/> is here", "Go <1/> now"],
    written:
      '{"a":"sEE $t(common.key)","b":"%{count} FILES","c":"hI $USER$","e":"__name__ IS HERE","f":"gO @:back NOW"}',
  },
  {
    what: "the branches of a message, without those that the target does not have",
    format: "json",
    source: '{"a":"You have {n, plural, =0 {no apples} one {# apple} other {# red apples}} left"}',
    seen: ["You have <1/> left", "no apples", "<1/> apple", "<1/> red apples"],
    written: '{"a":"yOU HAVE {n, plural, =0 {NO APPLES} one {# APPLE} other {# RED APPLES}} LEFT"}',
  },
  {
    what: "only the branch that every language has, for one whose categories are not known",
    format: "json",
    source: '{"a":"{n, plural, =0 {no apples} one {# apple} other {# apples}}"}',
    seen: ["no apples", "<1/> apples"],
    written: '{"a":"{n, plural, =0 {NO APPLES} other {# APPLES}}"}',
    target: "ach",
  },
  {
    what: "the branches of cases, also nested ones",
    format: "arb",
    source:
      '{"@@locale":"en","a":"{g, select, male {He has {n, plural, one {# cow} other {# cows}}} other {They}}","@a":{"description":"Stays"}}',
    seen: ["He has <1/>", "<1/> cow", "<1/> cows", "They"],
    written:
      '{"@@locale":"lg","a":"{g, select, male {hE HAS {n, plural, one {# COW} other {# COWS}}} other {tHEY}}","@a":{"description":"Stays"}}',
  },
  {
    what: "values of YAML in all its forms, and not its keys, comments, symbols and numbers",
    format: "yaml",
    source:
      'en:\n  a: Hello there # note\n  b: "One \\"word\\""\n  c: \'It\'\'s so\'\n  d: |\n    First line\n    second line\n  e: >\n    Folded\n    text\n  f: 42\n  g: yes\n  id: main\n  h: [One, Two]\n  i: "%{count} files"\n',
    seen: [
      "Hello there",
      'One "word"',
      "It's so",
      "First line",
      "second line",
      "Folded text",
      "One",
      "Two",
      "<1/> files",
    ],
    written:
      'lg:\n  a: hELLO THERE # note\n  b: "oNE \\"WORD\\""\n  c: \'iT\'\'S SO\'\n  d: |\n    fIRST LINE\n    SECOND LINE\n  e: >\n    fOLDED\n    TEXT\n  f: 42\n  g: yes\n  id: main\n  h: [oNE, tWO]\n  i: "%{count} FILES"\n',
  },
  {
    what: "values of Java, and not its keys and comments",
    format: "properties",
    source:
      "# A comment\na.b = Hello there\nc:Two \\\n    lines\nd=\nhome=It''s {0} again\ne Caf\\u00e9 is open\n! Another\nf=Tab\\there\ng\\\n  h = On two lines\n",
    seen: ["Hello there", "Two lines", "It's <1/> again", "Café is open", "Tab<1/>here", "On two lines"],
    written:
      "# A comment\na.b = hELLO THERE\nc:tWO \\\n    LINES\nd=\nhome=iT''S {0} AGAIN\ne cAF\\u00C9 IS OPEN\n! Another\nf=tAB\\tHERE\ng\\\n  h = oN TWO LINES\n",
  },
  {
    what: "values of iOS, and not its keys and comments",
    format: "strings",
    source: '/* A comment */\n"a.b" = "Hello %@";\n// Another\nkey = "Say \\"yes\\"\\n";\n',
    seen: ["Hello <1/>", 'Say "yes"'],
    written: '/* A comment */\n"a.b" = "hELLO %@";\n// Another\nkey = "sAY \\"YES\\"\\n";\n',
  },
  {
    what: "values without quotes, which get some, and no key that stands alone",
    format: "strings",
    source: 'title = Hello;\n"a" = Good-morning ;\nalone;\n"b" = "It is";\n',
    seen: ["Hello", "Good-morning", "It is"],
    written: 'title = "hELLO";\n"a" = "gOOD-MORNING" ;\nalone;\n"b" = "iT IS";\n',
  },
  {
    what: "strings of Android, and not references and what stays",
    format: "android",
    source: resources(
      '<string name="a">It\\\'s <b>here</b>, <xliff:g id="n">%1$s</xliff:g>\\n</string><string name="b" translatable="false">No</string><string name="c">@string/a</string><string-array name="d"><item>One</item></string-array><plurals name="e"><item quantity="other">%d files</item></plurals><color name="f">red</color><string name="g"><![CDATA[<b>Bold</b> text]]></string>',
    ),
    seen: ["It's <1>here</1>,", "One", "<1/> files", "<1/>Bold<2/> text"],
    written: resources(
      '<string name="a">iT\\\'S <b>HERE</b>, <xliff:g id="n">%1$s</xliff:g>\\n</string><string name="b" translatable="false">No</string><string name="c">@string/a</string><string-array name="d"><item>oNE</item></string-array><plurals name="e"><item quantity="other">%d FILES</item></plurals><color name="f">red</color><string name="g"><![CDATA[<b>bOLD</b> TEXT]]></string>',
    ),
  },
  {
    what: "lines of SubStation Alpha with their commands, and no shapes or comments",
    format: "ass",
    source: `${ass}Comment: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,Not this\n${line}{\\an8}Hello, {\\i1}you{\\i0}\\Nthere\n${line}{\\p1}m 0 0 l 1 1{\\p0}\n`,
    seen: ["Hello, <1/>you<2/> there"],
    written: `${ass}Comment: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,Not this\n${line}{\\an8}hELLO, {\\i1}YOU{\\i0}\\NTHERE\n${line}{\\p1}m 0 0 l 1 1{\\p0}\n`,
  },
  {
    what: "attributes without quotes, labels, titles of frames and drawings, and fallbacks",
    format: "html",
    source:
      '<img alt=Photo><select><optgroup label="Group"><option label="One">a</select><iframe title="A map" src="x"></iframe><svg><title>A drawing</title><path d="M0"/></svg><video>No video here</video>',
    seen: ["Photo", "Group", "One", "a", "A map", "A drawing", "No video here"],
    written:
      '<img alt="pHOTO"><select><optgroup label="gROUP"><option label="oNE">A</select><iframe title="a MAP" src="x"></iframe><svg><title>a DRAWING</title><path d="M0"/></svg><video>nO VIDEO HERE</video>',
  },
  {
    what: "text that is translated within what is not, lines of a page, and line ends in attributes",
    format: "html",
    source:
      '<p translate="no">Not <span translate="yes">but this</span></p><pre>First\n  second</pre><a title="One&#10;Two">x y</a>',
    seen: ["but this", "First", "second", "One<1/>Two", "x y"],
    written:
      '<p translate="no">Not <span translate="yes">BUT THIS</span></p><pre>fIRST\n  SECOND</pre><a title="oNE&#10;tWO">X Y</a>',
  },
  {
    what: "no code of programs that write pages, and each apostrophe as it is written",
    format: "html",
    source:
      '<p><?php if ($a > 3) echo "x"; ?> Hello</p><p><%= user.name > 1 %> Hi</p><p>[gallery id="1"] See</p><p>It&#39;s.</p><p>Don\'t go</p>',
    seen: ["<1/> Hello", "<1/> Hi", "<1/> See", "It's.", "Don't go"],
    written:
      '<p><?php if ($a > 3) echo "x"; ?> hELLO</p><p><%= user.name > 1 %> hI</p><p>[gallery id="1"] sEE</p><p>iT&#39;S.</p><p>dON\'T GO</p>',
  },
  {
    what: "a sentence that was wrapped before a capital or a digit",
    format: "text",
    source:
      "The clinic of the district opens again on the\nMonday after Easter, and it has room for about\n300 people every day.\n\nSubject: A letter\nDear all\n",
    seen: [
      "The clinic of the district opens again on the Monday after Easter, and it has room for about 300 people every day.",
      "Subject: A letter",
      "Dear all",
    ],
    written:
      "tHE CLINIC OF THE DISTRICT OPENS AGAIN ON THE\nmONDAY AFTER eASTER, AND IT HAS ROOM FOR ABOUT\n300 PEOPLE EVERY DAY.\n\nsUBJECT: a LETTER\ndEAR ALL\n",
  },
  {
    what: "a table without names of columns, with vertical bars",
    format: "csv",
    source: "1|Good morning to you.|x\n2|Good evening.|y\n",
    seen: ["Good morning to you.", "Good evening."],
    written: "1|gOOD MORNING TO YOU.|x\n2|gOOD EVENING.|y\n",
  },
  {
    what: "the branches of messages, which are written in the translation only",
    format: "po",
    source:
      'msgid "{n, plural, one {# apple} other {# apples}}"\nmsgstr ""\n\nmsgid ""\n"You have {n, plural, one {# cow} "\n"other {# cows}} left\\n"\nmsgstr ""\n',
    seen: ["<1/> apples", "You have <1/> left", "<1/> cows"],
    written:
      'msgid "{n, plural, one {# apple} other {# apples}}"\nmsgstr "{n, plural, other {# APPLES}}"\n\nmsgid ""\n"You have {n, plural, one {# cow} "\n"other {# cows}} left\\n"\nmsgstr ""\n"yOU HAVE {n, plural, other {# COWS}} LEFT\\n"\n',
    target: "ach",
  },
  {
    what: "the branches of messages, in new targets",
    format: "xliff",
    source:
      '<xliff version="1.2"><file target-language="lg"><body><trans-unit id="1"><source>{n, plural, one {# apple} other {# apples}}</source></trans-unit><trans-unit id="3"><source>He {g, select, a {saw it} other {sees}}</source><target/></trans-unit></body></file></xliff>',
    seen: ["<1/> apple", "<1/> apples", "He <1/>", "saw it", "sees"],
    written:
      '<xliff version="1.2"><file target-language="lg"><body><trans-unit id="1"><source>{n, plural, one {# apple} other {# apples}}</source><target state="needs-review-translation">{n, plural, one {# APPLE} other {# APPLES}}</target></trans-unit><trans-unit id="3"><source>He {g, select, a {saw it} other {sees}}</source><target state="needs-review-translation">hE {g, select, a {SAW IT} other {SEES}}</target></trans-unit></body></file></xliff>',
  },
  {
    what: "the branches of messages without the categories that the target does not have",
    format: "html",
    source: "<p>You have {n, plural, one {# cow} other {# cows}}</p>",
    seen: ["You have <1/>", "<1/> cows"],
    written: "<p>yOU HAVE {n, plural, other {# COWS}}</p>",
    target: "ach",
  },
  {
    what: "placeholders of all grammars that an entry names",
    format: "po",
    source: '#, python-brace-format, python-format\nmsgid "Look at %(outdir)s{sep}here"\nmsgstr ""\n',
    seen: ["Look at <1/><2/>here"],
    written:
      '#, python-brace-format, python-format\nmsgid "Look at %(outdir)s{sep}here"\nmsgstr "lOOK AT %(outdir)s{sep}HERE"\n',
  },
  {
    what: "forms of a plural, whose number a header without it names",
    format: "po",
    source:
      'msgid ""\nmsgstr ""\n"Language: lg\\n"\n\nmsgid "a file"\nmsgid_plural "files"\nmsgstr[0] ""\nmsgstr[1] ""\n',
    seen: ["a file", "files"],
    written:
      'msgid ""\nmsgstr ""\n"Language: lg\\n"\n"Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n\nmsgid "a file"\nmsgid_plural "files"\nmsgstr[0] "A FILE"\nmsgstr[1] "FILES"\n',
  },
  {
    what: "placeholders that strings of one text divide",
    format: "po",
    source: 'msgid ""\n"Say \\"yes\\" %(na"\n"me)s "\n""\n"again"\nmsgstr ""\n',
    seen: ['Say "yes" <1/> again'],
    written:
      'msgid ""\n"Say \\"yes\\" %(na"\n"me)s "\n""\n"again"\nmsgstr ""\n"sAY \\"YES\\" %(name)s AGAIN"\n',
  },
  {
    what: "lists and objects below the keys of programs",
    format: "json",
    source: '{"type":{"cat":"A cat","id":"no id"},"key":["No key"],"icon":[{"label":"Go now"}]}',
    seen: ["A cat", "Go now"],
    written: '{"type":{"cat":"a CAT","id":"no id"},"key":["No key"],"icon":[{"label":"gO NOW"}]}',
  },
  {
    what: "texts with the tag of no type",
    format: "yaml",
    source: "a: ! 'It''s here'\nb: ! \"There\"\nc: !ruby/symbol Name it\n",
    seen: ["It's here", "There"],
    written: "a: ! 'iT''S HERE'\nb: ! \"tHERE\"\nc: !ruby/symbol Name it\n",
  },
  {
    what: "what is below the keys of programs",
    format: "yaml",
    source: "type:\n  cat: A cat\n  id: no id\nkey: [No key]\n",
    seen: ["A cat"],
    written: "type:\n  cat: a CAT\n  id: no id\nkey: [No key]\n",
  },
  {
    what: "sounds, and people who speak in turn, each on lines of their own",
    format: "srt",
    source:
      "1\n00:00:01,000 --> 00:00:02,000\n[door opens]\nWho is\nthere?\n\n2\n00:00:03,000 --> 00:00:04,000\nIt is me.\n- Who?\n\n3\n00:00:05,000 --> 00:00:06,000\n<i>♪ La la ♪</i>\nSing\n\n4\n00:00:07,000 --> 00:00:08,000\n- One is\nhere\n- Two\n",
    seen: [
      ...["[door opens]", "Who is there?", "It is me.", "- Who?", "♪ La la ♪", "Sing"],
      ...["- One is here", "- Two"],
    ],
    written:
      "1\n00:00:01,000 --> 00:00:02,000\n[DOOR OPENS]\nwHO IS\nTHERE?\n\n2\n00:00:03,000 --> 00:00:04,000\niT IS ME.\n- wHO?\n\n3\n00:00:05,000 --> 00:00:06,000\n<i>♪ lA LA ♪</i>\nsING\n\n4\n00:00:07,000 --> 00:00:08,000\n- oNE IS\nHERE\n- tWO\n",
  },
  {
    what: "sounds, and people who speak in turn, each on lines of their own",
    format: "ass",
    source: `${ass}${line}{\\i1}- Who?{\\i0}\\N- Me and\\Nyou\n${line}[sighs]\\NOh no\n`,
    seen: ["- Who?", "- Me and you", "[sighs]", "Oh no"],
    written: `${ass}${line}{\\i1}- wHO?{\\i0}\\N- mE AND\\NYOU\n${line}[SIGHS]\\NoH NO\n`,
  },
  {
    what: "the title of a box, and no label of a tab",
    format: "markdown",
    source: '??? tip "The title"\n    **Less.**\n\n=== "A tab"\n\n    Inside.\n',
    seen: ["The title", "Less.", "Inside."],
    written: '??? tip "tHE TITLE"\n    **lESS.**\n\n=== "A tab"\n\n    iNSIDE.\n',
  },
  {
    what: "no code of MDX that has several lines",
    format: "markdown",
    source:
      'import {\n  One,\n} from "./x";\nimport "./a.css";\n\nexport const meta = {\n  title: "Not this",\n};\n\nRead it.\n',
    seen: ["Read it."],
    written:
      'import {\n  One,\n} from "./x";\nimport "./a.css";\n\nexport const meta = {\n  title: "Not this",\n};\n\nrEAD IT.\n',
  },
  {
    what: "attributes of tags within text, and no code in them",
    format: "markdown",
    source: 'Press <kbd>Ctrl</kbd>, see <img alt="A cat" src="x"> or <i translate="no">Acme *x*</i> now.\n',
    seen: ["Press <1/>, see <2/> or <3/> now.", "A cat"],
    written: 'pRESS <kbd>Ctrl</kbd>, SEE <img alt="a CAT" src="x"> OR <i translate="no">Acme *x*</i> NOW.\n',
  },
  {
    what: "lines of a list that are about as long as each other",
    format: "text",
    source:
      "Grace Namukasa of the Ministry of Health in Kampala\nPeter Okello of the Ministry of Works in Entebbe\nMary Achieng of the Ministry of Water in Kisumu\n",
    seen: [
      "Grace Namukasa of the Ministry of Health in Kampala",
      "Peter Okello of the Ministry of Works in Entebbe",
      "Mary Achieng of the Ministry of Water in Kisumu",
    ],
  },
  {
    what: "the first row of a table that counts its rows",
    format: "csv",
    source: "1,Good morning\n2,Good evening\n",
    seen: ["Good morning", "Good evening"],
  },
  {
    what: "folded text with the line ends of Windows",
    format: "yaml",
    source: "a: >\r\n  Some folded\r\n  text\r\nb: One\r\n",
    seen: ["Some folded text", "One"],
    written: "a: >\r\n  sOME FOLDED\r\n  TEXT\r\nb: oNE\r\n",
  },
];

describe.each(cases)("$format: $what", ({ format, source, seen, written, target = "lg" }) => {
  it("are what a model sees, and nothing else changes", async () => {
    const result = await translated(source, format, { languages: { ...languages, target } });
    expect(result.seen).toEqual(seen);
    expect(result.untranslated).toEqual([]);
    expect(result.written).toBe(written ?? swapCase(source));
  });
});

describe("How dates are written", () => {
  it.each<[DocumentFormat, string]>([
    ["json", '{"a":"dd/MM/yyyy","b":"EEEE, d MMM h:mm a","c":"Day"}'],
    ["arb", '{"a":"dd/MM/yyyy","b":"EEEE, d MMM h:mm a","c":"Day"}'],
    ["yaml", 'a: dd/MM/yyyy\nb: "EEEE, d MMM h:mm a"\nc: Day\n'],
    ["properties", "a=dd/MM/yyyy\nb=EEEE, d MMM h:mm a\nc=Day\n"],
    ["strings", '"a" = "dd/MM/yyyy";\n"b" = "EEEE, d MMM h:mm a";\n"c" = "Day";\n'],
    [
      "android",
      resources(
        '<string name="a">dd/MM/yyyy</string><string name="b">EEEE, d MMM h:mm a</string><string name="c">Day</string>',
      ),
    ],
  ])("stays for the programs that read it, in %s", async (format, source) => {
    const { seen, written } = await translated(source, format);
    expect(seen).toEqual(["Day"]);
    expect(written).toBe(source.replace("Day", "dAY"));
  });

  it("is not with one letter, or with other signs than those of dates", async () => {
    const { seen } = await translated('{"a":"e 👋","b":"m?","c":"d!","d":"h:mm"}', "json");
    expect(seen).toEqual(["e 👋", "m?", "d!"]);
  });
});

const message = "You have {n, plural, one {# cow} other {# cows}} now";

describe("A message with branches", () => {
  it.each<[DocumentFormat, string]>([
    ["text", message],
    ["markdown", `- ${message}\n`],
    ["srt", `1\n00:00:01,000 --> 00:00:02,000\n${message}\n`],
    ["vtt", `WEBVTT\n\n00:01.000 --> 00:02.000\n${message}\n`],
    ["yaml", `a: ${message}\n`],
    ["csv", `id,text\n1,"${message}"\n`],
    ["android", resources(`<string name="a">${message}</string>`)],
    ["strings", `"a" = "${message}";\n`],
    ["properties", `a=${message}\n`],
    ["html", `<p title="${message}">1</p>`],
    ["markdown", `![${message}](a.png)\n`],
    ["markdown", `[](a "${message}")\n`],
    ["markdown", `<p>${message}</p>\n`],
    ["markdown", `!!! note "${message}"\n`],
    ["markdown", `---\ntitle: ${message}\n---\n`],
    ["markdown", `+++\ntitle = "${message}"\n+++\n`],
    [
      "xliff",
      `<xliff version="1.2"><file><body><trans-unit id="1"><source><![CDATA[${message}]]></source></trans-unit></body></file></xliff>`,
    ],
  ])("has the categories of the target only, in %s: %s", async (format, source) => {
    const { written, untranslated } = await translated(source, format, {
      languages: { ...languages, target: "ach" },
    });
    expect(untranslated).toEqual([]);
    expect(written.replaceAll(/\s+/g, " ")).toContain("yOU HAVE {n, plural, other {# COWS}} NOW");
  });

  it("stays with a reason where it cannot be read, or written", async () => {
    const wiki = await translated(
      '{"a":"$1 {{PLURAL:$1|file|files}} now","b":"Hello {{name|default}}"}',
      "json",
    );
    expect(wiki.untranslated).toEqual([{ index: 1, reason: "unreadable_message" }]);
    const json = await translated('{"a":"Hello {n, plural, one {# apple}}"}', "json");
    expect(json.untranslated).toEqual([{ index: 1, reason: "unreadable_message" }]);
    const xliff = await translated(
      '<xliff version="1.2"><file><body><trans-unit id="2"><source>All {g, select, other {their <x id="1"/>}} apples</source></trans-unit></body></file></xliff>',
      "xliff",
    );
    expect(xliff.untranslated).toEqual([{ index: 0, reason: "unreadable_message" }]);
    const po = await translated('msgid "{n, plural, one {# apple}}"\nmsgstr ""\n', "po");
    expect(po.untranslated).toEqual([{ index: 0, reason: "unreadable_message" }]);
  });
});

describe("An item of a list", () => {
  it.each<[DocumentFormat, string]>([
    ["html", "<p>Bring:</p><ul><li>soap<li>and water</ul>"],
    ["markdown", "Bring:\n\n- soap\n- and water\n"],
  ])("is translated with those before and after as context, in %s", async (format, source) => {
    const document = openDocument(Buffer.from(source), format);
    const contexts: (string | undefined)[] = [];
    for (const index of document.passages.keys()) {
      await document.translatePassage(index, async (text, { context }) => {
        contexts.push(context);
        return text;
      });
    }
    expect(contexts).toEqual([undefined, "Bring:\nand water", "soap"]);
  });
});

describe("A subtitle", () => {
  it("is translated with those before and after as context", async () => {
    const cue = (number: number, text: string): string =>
      `${number}\n00:00:0${number},000 --> 00:00:0${number},900\n${text}\n\n`;
    const document = openDocument(
      Buffer.from(cue(1, "I have") + cue(2, "<i>never</i>") + cue(3, "been there.")),
      "srt",
    );
    const contexts: (string | undefined)[] = [];
    for (const index of document.passages.keys()) {
      await document.translatePassage(index, async (text, { context }) => {
        contexts.push(context);
        return text;
      });
    }
    expect(contexts).toEqual(["never", "I have\nbeen there.", "never"]);
  });
});

describe("A text that is not in UTF-8", () => {
  const written = (bytes: Uint8Array, format: DocumentFormat, reply: string): Promise<Buffer> =>
    (async () => {
      const document = openDocument(bytes, format);
      return Buffer.from(document.write([await document.translatePassage(0, async () => reply)]).bytes);
    })();
  const latin = (text: string): Buffer => Buffer.from(text, "latin1");

  it.each<[DocumentFormat, string, string]>([
    ["html", '<meta charset="windows-1252"><p>Café</p>', "<p>TÉ</p>"],
    [
      "xliff",
      '<?xml version="1.0" encoding="ISO-8859-1"?><xliff version="1.2"><file><body><trans-unit><source>Café</source></trans-unit></body></file></xliff>',
      ">TÉ</target>",
    ],
    [
      "po",
      'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=iso-8859-1\\n"\n\nmsgid "Café"\nmsgstr ""\n',
      'msgstr "TÉ"',
    ],
    ["srt", "1\n00:00:01,000 --> 00:00:02,000\nCafé is open\n", "TÉ"],
  ])("is written as it was read: %s", async (format, source, expected) => {
    expect((await written(latin(source), format, "TÉ")).toString("latin1")).toContain(expected);
  });

  it.each<[string, string, string]>([
    ["shift_jis", "93fa967b", "日本"],
    ["gbk", "d6d0b9fa", "中国"],
    ["euc-kr", "c7d1b1b9", "한국"],
    ["iso-8859-2", "b3f3", "łó"],
    ["koi8-r", "c4c1", "да"],
  ])("is written as it was read: %s", async (label, hex, words) => {
    const page = (text: Buffer): Buffer =>
      Buffer.concat([latin(`<meta charset="${label}"><p>`), text, latin("</p>")]);
    const bytes = Buffer.from(hex, "hex");
    const reply = (text: string): Promise<Buffer> => written(page(bytes), "html", text);
    expect(await reply(`${words}x`)).toEqual(page(Buffer.concat([bytes, latin("x")])));
    expect((await reply(`${words}ɓ`)).toString("utf8")).toBe(`<meta charset="UTF-8"><p>${words}ɓ</p>`);
  });

  it.each<[string, string]>([
    ["us-ascii", "É"],
    ["iso-8859-1", "“É”"],
    ["CHARSET", "É"],
  ])(
    "names UTF-8 where %s has no such characters, which browsers take for another one",
    async (label, reply) => {
      const source = (charset: string, text: string): string =>
        `msgid ""\nmsgstr "Content-Type: text/plain; charset=${charset}\\n"\n\nmsgid "Hello"\nmsgstr "${text}"\n`;
      const text = (await written(latin(source(label, "")), "po", reply)).toString("utf8");
      expect(text).toBe(source("UTF-8", reply));
    },
  );

  it("gets a header for gettext, which needs the name of the encoding beyond ASCII", async () => {
    const entry = (text: string): Buffer => Buffer.from(`msgid "Hello"\nmsgstr "${text}"\n`);
    expect((await written(entry(""), "po", "Hallo")).toString()).toBe(entry("Hallo").toString());
    expect((await written(entry(""), "po", "Ŋa")).toString()).toBe(
      `msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n${entry("Ŋa").toString()}`,
    );
  });

  it("is written in UTF-8, and says so, where its translation does not fit", async () => {
    const page = await written(latin('<meta charset="windows-1252"><p>Café</p>'), "html", "Ŋa é");
    expect(page.toString("utf8")).toBe('<meta charset="UTF-8"><p>Ŋa é</p>');
  });

  it.each(["utf16le", "utf16be"] as const)(
    "is read and written in %s, with a mark and without",
    async (encoding) => {
      const encode = (text: string): Buffer => {
        const bytes = Buffer.from(text, "utf16le");
        return encoding === "utf16le" ? bytes : bytes.swap16();
      };
      for (const mark of ["", "\uFEFF"]) {
        const cue = (text: string): Buffer => encode(`${mark}1\n00:00:01,000 --> 00:00:02,000\n${text}\n`);
        expect(await written(cue("Good morning"), "srt", "Wasuze")).toEqual(cue("Wasuze"));
      }
    },
  );

  it("is read in ISO-2022-JP, with a declaration and without, and written in UTF-8", async () => {
    const japanese = "\u001B$BF|K\\\u001B(B";
    const cue = (text: string): string => `1\n00:00:01,000 --> 00:00:02,000\n${text}\n`;
    expect((await written(latin(cue(japanese)), "srt", "日本 x")).toString()).toBe(cue("日本 x"));
    const page = (charset: string, text: string): string => `<meta charset="${charset}"><p>${text}</p>`;
    const bytes = await written(latin(page("iso-2022-jp", japanese)), "html", "日本 x");
    expect(bytes.toString()).toBe(page("UTF-8", "日本 x"));
  });

  it.each<[string, Uint8Array]>([
    ["a mark", Uint8Array.from([0xff, 0xfe, 0, 0, 0x41, 0, 0, 0])],
    ["another mark", Uint8Array.from([0, 0, 0xfe, 0xff, 0, 0, 0, 0x41])],
    ["none", Uint8Array.from([0x41, 0, 0, 0, 0x42, 0, 0, 0])],
    ["none, and its zeros first", Uint8Array.from([0, 0, 0, 0x41, 0, 0, 0, 0x42])],
  ])("is refused by name in UTF-32 with %s", (_what, bytes) => {
    expect(() => openDocument(bytes, "text")).toThrow(/UTF-32, which is not supported. Save it in UTF-8./);
  });

  it("is refused when it names an encoding that no decoder knows, and is not in UTF-8", () => {
    const page = (charset: string): Uint8Array => latin(`<meta charset="${charset}"><p>Café</p>`);
    expect(() => openDocument(page("tcvn-0"), "html")).toThrow("The document is not encoded in UTF-8.");
  });

  it("is refused when it is in another encoding", () => {
    const cyrillic = Buffer.concat([
      latin("1\n00:00:01,000 --> 00:00:02,000\n"),
      Buffer.from("cff0e8e2e5f2", "hex"),
    ]);
    expect(() => openDocument(cyrillic, "srt")).toThrow("The document is not encoded in UTF-8.");
  });
});

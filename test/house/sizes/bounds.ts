/** What a feature added to a bound. */
export interface Raise {
  readonly for: string;
  readonly lines: number;
}

/** How many lines there were when they were fewest, rounded up to the next 500, and what was added since. */
export interface LineBound {
  readonly lines: number;
  /** A feature that needs more lines adds an entry for itself; no one changes `lines`, except to lower it. */
  readonly raised: readonly Raise[];
}

/** What it took to meet servers of real models. */
const realModels: readonly Raise[] = [
  { for: "profiles of models, and languages on the wire", lines: 950 },
  { for: "translations that are judged, in documents too", lines: 900 },
  { for: "the context of models, and refusals by whose fault they are", lines: 850 },
  { for: "replies that are read as leniently as by the SDKs", lines: 800 },
];

/** What it took to confirm what outlives a session. */
const confirmedActs: Raise = {
  for: "acts that are confirmed, and sessions that say how they started",
  lines: 800,
};

const realAccount = "a real account: going back, erasing again, two more regions, and the domain of streams";

/** What it took to bound documents, and to plan those of another version again. */
const boundedDocuments: Raise = {
  for: "documents that are bounded, plans of another version, and keys and callbacks that stay in their place",
  lines: 400,
};

/** What it took to read what real recorders, programs and phones send. */
const realClients: Raise = { for: "recordings, programs and identifiers as they really come", lines: 800 };

/** What it took to read what other programs record, and to run clients of every age. */
const olderPrograms = "recordings behind other headers, and the oldest clients";
/** What it took to read documents as people have them. */
const realDocuments: Raise = {
  for: "nine more formats, encodings, languages and placeholders of documents, and messages with branches",
  lines: 2_400,
};

/** What it took to translate all words of documents. */
const allWords: Raise = {
  for: "messages in translations, parts by relationships, every declared encoding, and lines of subtitles",
  lines: 500,
};

/** What it took to read files as packages have them. */
const packagedFiles: Raise = {
  for: "margins of sheets, prefixes, encodings, formats of dates and tags of files in packages, and plural forms in all formats",
  lines: 300,
};

/** What it took to let programs of gettext compile all translations. */
const compiledGettext: Raise = {
  for: "forms of plurals and placeholders of all formats, with which programs of gettext compile translations",
  lines: 100,
};

/** What it took to read long runs of one character in time that grows with their length. */
const longRuns: Raise = { for: "documents with long runs of one character, in each format", lines: 100 };

/** What it took to put pages behind three roles. */
const pagesByDoor: Raise = { for: "three functions with pages, each with a role of its own", lines: 600 };

/** What it took to say who speaks in a recording. */
const speakers: Raise = {
  for: "who spoke: across pieces, in every format, and by a server of its own",
  lines: 900,
};

/** What it took to say how sure transcripts are, and to take a customer's words. */
const sureness: Raise = {
  for: "how sure: calibration, confidence and unsure words; names and terms of recordings",
  lines: 1_500,
};

/** What it took to determine in which language people speak. */
const spokenLanguage: Raise = {
  for: "the language of a recording: trials in candidates, word order, changes, jobs and accounts",
  lines: 1_200,
};

/** What it took to load less at a start. */
const laterLoaded: Raise = {
  for: "endpoints, schemas and values that a start leaves to the first request that needs them, in files of their own",
  lines: 400,
};

/** What it took to let agents transcribe as clients of `/v1` do. */
const agentsRecordings: Raise = {
  for: "recordings that agents transcribe: their languages, names and terms, speakers, and how sure",
  lines: 200,
};

/** The bounds of the lines of TypeScript and style sheets. */
export const lineBounds = {
  production: {
    lines: 91_500,
    raised: [
      ...realModels,
      confirmedActs,
      boundedDocuments,
      realClients,
      pagesByDoor,
      { for: realAccount, lines: 300 },
      { for: olderPrograms, lines: 900 },
      realDocuments,
      speakers,
      allWords,
      sureness,
      packagedFiles,
      compiledGettext,
      longRuns,
      spokenLanguage,
      agentsRecordings,
      laterLoaded,
    ],
  },
  productionWithPackages: {
    lines: 109_000,
    raised: [
      ...realModels,
      confirmedActs,
      boundedDocuments,
      realClients,
      pagesByDoor,
      { for: realAccount, lines: 700 },
      { for: olderPrograms, lines: 900 },
      realDocuments,
      speakers,
      allWords,
      sureness,
      packagedFiles,
      compiledGettext,
      longRuns,
      { ...spokenLanguage, lines: 1_500 },
      agentsRecordings,
      laterLoaded,
    ],
  },
  tests: {
    lines: 114_000,
    raised: [
      {
        for: "models of real servers: their replies, refusals and languages as tables of cases",
        lines: 1_500,
      },
      { for: "what each kind of session may do with each form, and attacks on sessions", lines: 900 },
      { for: "the largest documents of each format, and attacks on documents and settings", lines: 600 },
      realClients,
      { ...pagesByDoor, lines: 200 },
      { for: "a group of endpoints and a page that tests add, with all that has to know them", lines: 200 },
      { for: realAccount, lines: 300 },
      { for: "upgrades of documents that are translated in part, or have failed", lines: 200 },
      { for: olderPrograms, lines: 1_200 },
      {
        for: "documents as people have them: tables of cases, folders of files, and generated ones",
        lines: 1_200,
      },
      speakers,
      { ...spokenLanguage, lines: 1_000 },
      agentsRecordings,
      { for: "documents that other programs open, and tables of cases for all their words", lines: 800 },
      { ...sureness, lines: 900 },
      packagedFiles,
      laterLoaded,
      longRuns,
    ],
  },
} as const satisfies Record<string, LineBound>;

/** The bound with everything that was added to it. */
export const boundOf = ({ lines, raised }: LineBound): number =>
  raised.reduce((sum, raise) => sum + raise.lines, lines);

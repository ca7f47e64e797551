/** What a file turned out to be when it is not audio of an accepted kind. */
export interface ForeignFile {
  /** Its media type, such as `image/png`; `application/octet-stream` when it is unknown. */
  readonly mediaType: string;
  /** Its name in a sentence, with the article: "a PNG image". */
  readonly name: string;
}

const accepted = "WAV, MP3, M4A, MP4, AAC, Ogg, WebM, AMR, AIFF or FLAC";

/** Recordings of a kind that is not read here; anything else is no recording at all. */
const isRecording = ({ mediaType }: ForeignFile): boolean => mediaType.startsWith("audio/");

const sentenceAbout = (file: ForeignFile): string =>
  isRecording(file)
    ? `This is ${file.name} (${file.mediaType}); convert it to MP3, M4A or WAV.`
    : `The file is ${file.name} (${file.mediaType}), not a supported audio file; send ${accepted}.`;

/** Not audio, or audio of an unsupported kind: 422. The message is for the caller. */
export class NotAudioError extends Error {
  override readonly name = "NotAudioError";
  /** The media type of what was sent instead. */
  readonly looksLike: string;
  /** The name of a recording of a kind that is not read here, with its article. */
  readonly kind: string | undefined;

  constructor(file?: ForeignFile) {
    super(file ? sentenceAbout(file) : `The file is not a supported audio file; send ${accepted}.`);
    this.kind = file && isRecording(file) ? file.name : undefined;
    this.looksLike = file?.mediaType ?? "application/octet-stream";
  }
}

/** Audio that is damaged, empty, encrypted or in an unknown encoding: 400. The message is for the caller. */
export class UnreadableAudioError extends Error {
  override readonly name = "UnreadableAudioError";
}

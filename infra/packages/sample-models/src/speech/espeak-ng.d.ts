/** The part of the package that the sample server uses; it comes without types. */
declare module "@echogarden/espeak-ng-emscripten" {
  /** The settings of a synthesiser stay as they are from one text to the next. */
  interface Synthesiser {
    /** Samples per second of what it makes. */
    readonly samplerate: number;
    /** `sw` or, with a speaker, `sw+f2`. Returns 0; anything else means that the earlier voice stays. */
    set_voice(name: string): number;
    /** 0 to 99; 50 is the speaker's own. */
    set_pitch(pitch: number): void;
    /** Words per minute. */
    set_rate(rate: number): void;
    /** Per cent. */
    set_volume(volume: number): void;
    /** Calls back with 16-bit mono samples, a tenth of a second at most, before it returns. True ends it early. */
    synthesize(text: string, onSamples: (samples: Int16Array) => boolean): void;
  }

  interface Options {
    print: (line: string) => void;
    printErr: (line: string) => void;
  }

  /** Loads the library, with its voices in it. */
  export default function load(options: Options): Promise<{ eSpeakNGWorker: new () => Synthesiser }>;
}

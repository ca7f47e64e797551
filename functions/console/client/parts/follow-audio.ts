/** A link to the recording works for half an hour. If a new link fails this soon, it did not expire. */
const renewalMilliseconds = 10_000;

const numberOf = (element: Element, name: "start" | "end"): number =>
  element instanceof HTMLElement ? Number(element.dataset[name]) : Number.NaN;

const findTranscript = (page: Document): Element | null => page.querySelector("[data-transcript]");

/** @param part of the transcript; without it the one that is shown. */
const fetchPage = async (part?: number): Promise<Document> => {
  const address = new URL(location.href);
  if (part !== undefined) address.searchParams.set("part", String(part));
  const response = await fetch(address, { headers: { Accept: "text/html" } });
  return new DOMParser().parseFromString(await response.text(), "text/html");
};

/** Marks the segment that is playing, and loads the part of the transcript that it is in. */
const createFollower = (audio: HTMLAudioElement): (() => void) => {
  let marked: Element | undefined;
  let isLoading = false;

  const mark = (segment: Element | undefined): void => {
    if (segment === marked) return;
    marked?.removeAttribute("aria-current");
    marked = segment;
    segment?.setAttribute("aria-current", "true");
    if (!audio.paused) segment?.scrollIntoView({ block: "nearest" });
  };

  const loadPart = async (number: number): Promise<void> => {
    isLoading = true;
    try {
      const [shown, other] = [findTranscript(document), findTranscript(await fetchPage(number))];
      if (shown && other) shown.replaceWith(document.adoptNode(other));
    } catch {
      // The next event of the player tries again.
    } finally {
      isLoading = false;
    }
  };

  return () => {
    const shown = findTranscript(document);
    if (!shown) return;
    const { currentTime: time, duration, dataset } = audio;
    const [start, end] = [numberOf(shown, "start"), numberOf(shown, "end")];
    const isElsewhere = time < start || (time >= end && end < Math.floor(duration));
    if (isElsewhere && !isLoading) return void loadPart(Math.floor(time / Number(dataset["part"])) + 1);
    const heard = [...shown.querySelectorAll("li")].filter((each) => numberOf(each, "start") <= time).at(-1);
    mark(heard && time < numberOf(heard, "end") ? heard : undefined);
  };
};

/** Gets a new link to the recording once the old one has expired. */
const createRenewal = (audio: HTMLAudioElement): (() => Promise<void>) => {
  let renewedAt = 0;
  return async () => {
    if (Date.now() - renewedAt < renewalMilliseconds) return;
    renewedAt = Date.now();
    const { currentTime, paused } = audio;
    const link = (await fetchPage()).querySelector("audio")?.getAttribute("src");
    if (!link) return location.reload();
    audio.src = link;
    audio.currentTime = currentTime;
    if (!paused) await audio.play();
  };
};

/** Models cut words closely. */
const marginSeconds = 0.25;

/** Plays from the segment that is clicked, or only an unsure word. */
const createPlayer = (audio: HTMLAudioElement) => {
  let endsAt = Number.POSITIVE_INFINITY;
  return {
    play: (event: MouseEvent): void => {
      const { target } = event;
      const said = target instanceof Element ? target.closest("[data-transcript] [data-start]") : null;
      // Selected words are meant to be copied.
      if (!said || getSelection()?.isCollapsed === false) return;
      event.preventDefault();
      const isWord = said.matches(".unsure");
      endsAt = isWord ? numberOf(said, "end") + marginSeconds : Number.POSITIVE_INFINITY;
      audio.currentTime = Math.max(0, numberOf(said, "start") - (isWord ? marginSeconds : 0));
      void audio.play().catch(() => undefined);
    },
    /** Pauses behind the word. */
    stop: (): void => {
      if (audio.currentTime < endsAt) return;
      endsAt = Number.POSITIVE_INFINITY;
      audio.pause();
    },
  };
};

/** Lets the transcript follow the audio, and the audio follow clicks in the transcript. */
export const followAudio = (audio: HTMLAudioElement): void => {
  const follow = createFollower(audio);
  const renew = createRenewal(audio);
  const player = createPlayer(audio);
  document.addEventListener("click", player.play);
  audio.addEventListener("timeupdate", player.stop);
  audio.addEventListener("timeupdate", follow);
  audio.addEventListener("seeked", follow);
  audio.addEventListener("error", () => void renew().catch(() => undefined));
  const linked = location.hash === "" ? null : document.getElementById(location.hash.slice(1));
  if (linked?.closest("[data-transcript]")) audio.currentTime = numberOf(linked, "start");
  const hint = document.querySelector<HTMLElement>("[data-follow]");
  if (hint) hint.hidden = false;
};

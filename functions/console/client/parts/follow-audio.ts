/** A link to the recording works for half an hour; one that has just been renewed has failed for another reason. */
const renewalMilliseconds = 10_000;

const numberOf = (element: Element, name: "start" | "end"): number =>
  element instanceof HTMLElement ? Number(element.dataset[name]) : Number.NaN;

const fetchPage = async (part?: number): Promise<Document> => {
  const address = new URL(location.href);
  if (part !== undefined) address.searchParams.set("part", String(part));
  const response = await fetch(address, { headers: { Accept: "text/html" } });
  return new DOMParser().parseFromString(await response.text(), "text/html");
};

/** Lets the transcript follow the sound, and the sound what somebody chooses in it. */
export const followAudio = (audio: HTMLAudioElement): void => {
  let marked: Element | undefined;
  let isLoading = false;
  let renewedAt = 0;

  const transcript = (): Element | null => document.querySelector("[data-transcript]");

  const mark = (found: Element | undefined): void => {
    if (found === marked) return;
    marked?.removeAttribute("aria-current");
    marked = found;
    if (!found) return;
    found.setAttribute("aria-current", "true");
    if (!audio.paused) found.scrollIntoView({ block: "nearest" });
  };

  /** The sound has gone on to another part of the text: that takes the place of this one. */
  const change = async (time: number, seconds: number): Promise<void> => {
    const shown = transcript();
    const other = (await fetchPage(Math.floor(time / seconds) + 1)).querySelector("[data-transcript]");
    if (shown && other) shown.replaceWith(document.adoptNode(other));
  };

  const follow = (): void => {
    const shown = transcript();
    if (!shown) return;
    const time = audio.currentTime;
    const [start, end] = [numberOf(shown, "start"), numberOf(shown, "end")];
    const isElsewhere = time < start || (time >= end && end < Math.floor(audio.duration));
    if (isElsewhere && !isLoading) {
      isLoading = true;
      void change(time, Number(audio.dataset["part"]))
        .catch(() => undefined)
        .finally(() => {
          isLoading = false;
        });
      return;
    }
    const heard = [...shown.querySelectorAll("li")].filter((each) => numberOf(each, "start") <= time).at(-1);
    mark(heard && time < numberOf(heard, "end") ? heard : undefined);
  };

  const hearFrom = (segment: Element): void => {
    audio.currentTime = numberOf(segment, "start");
    void audio.play().catch(() => undefined);
  };

  const renew = async (): Promise<void> => {
    if (Date.now() - renewedAt < renewalMilliseconds) return;
    renewedAt = Date.now();
    const { currentTime, paused } = audio;
    const link = (await fetchPage()).querySelector("audio")?.getAttribute("src");
    if (!link) return location.reload();
    audio.src = link;
    audio.currentTime = currentTime;
    if (!paused) await audio.play();
  };

  document.addEventListener("click", (event) => {
    const { target } = event;
    if (!(target instanceof Element)) return;
    const segment = target.closest("[data-transcript] li");
    // Who marks words wants to copy them.
    if (!segment || getSelection()?.isCollapsed === false) return;
    event.preventDefault();
    hearFrom(segment);
  });
  audio.addEventListener("timeupdate", follow);
  audio.addEventListener("seeked", follow);
  audio.addEventListener("error", () => void renew().catch(() => undefined));
  const linked = location.hash === "" ? null : document.getElementById(location.hash.slice(1));
  if (linked?.closest("[data-transcript]")) audio.currentTime = numberOf(linked, "start");
  const hint = document.querySelector<HTMLElement>("[data-follow]");
  if (hint) hint.hidden = false;
};

import swapIcon from "lucide-static/dist/esm/icons/arrow-left-right.mjs";
import forwardIcon from "lucide-static/dist/esm/icons/arrow-right.mjs";
import recordingsIcon from "lucide-static/dist/esm/icons/audio-lines.mjs";
import docsIcon from "lucide-static/dist/esm/icons/book-open.mjs";
import usageIcon from "lucide-static/dist/esm/icons/chart-column.mjs";
import doneIcon from "lucide-static/dist/esm/icons/check.mjs";
import openIcon from "lucide-static/dist/esm/icons/chevron-down.mjs";
import nextIcon from "lucide-static/dist/esm/icons/chevron-right.mjs";
import problemIcon from "lucide-static/dist/esm/icons/circle-alert.mjs";
import successIcon from "lucide-static/dist/esm/icons/circle-check.mjs";
import timeIcon from "lucide-static/dist/esm/icons/clock.mjs";
import copyIcon from "lucide-static/dist/esm/icons/copy.mjs";
import downloadIcon from "lucide-static/dist/esm/icons/download.mjs";
import documentIcon from "lucide-static/dist/esm/icons/file-text.mjs";
import playgroundIcon from "lucide-static/dist/esm/icons/flask-conical.mjs";
import keysIcon from "lucide-static/dist/esm/icons/key-round.mjs";
import languagesIcon from "lucide-static/dist/esm/icons/languages.mjs";
import overviewIcon from "lucide-static/dist/esm/icons/layout-dashboard.mjs";
import logOutIcon from "lucide-static/dist/esm/icons/log-out.mjs";
import mailIcon from "lucide-static/dist/esm/icons/mail.mjs";
import menuIcon from "lucide-static/dist/esm/icons/menu.mjs";
import messageIcon from "lucide-static/dist/esm/icons/message-circle.mjs";
import microphoneIcon from "lucide-static/dist/esm/icons/mic.mjs";
import playIcon from "lucide-static/dist/esm/icons/play.mjs";
import addIcon from "lucide-static/dist/esm/icons/plus.mjs";
import renewIcon from "lucide-static/dist/esm/icons/refresh-cw.mjs";
import searchIcon from "lucide-static/dist/esm/icons/search.mjs";
import safeIcon from "lucide-static/dist/esm/icons/shield-check.mjs";
import networkIcon from "lucide-static/dist/esm/icons/signal.mjs";
import stopIcon from "lucide-static/dist/esm/icons/square.mjs";
import warningIcon from "lucide-static/dist/esm/icons/triangle-alert.mjs";
import uploadIcon from "lucide-static/dist/esm/icons/upload.mjs";
import accountIcon from "lucide-static/dist/esm/icons/user-round.mjs";
import audioIcon from "lucide-static/dist/esm/icons/volume-2.mjs";
import closeIcon from "lucide-static/dist/esm/icons/x.mjs";

/** The icons of Lucide (lucide.dev) that pages use, by their meaning. */
const icons = {
  overview: overviewIcon,
  playground: playgroundIcon,
  recordings: recordingsIcon,
  keys: keysIcon,
  usage: usageIcon,
  docs: docsIcon,
  languages: languagesIcon,
  account: accountIcon,
  logOut: logOutIcon,
  menu: menuIcon,
  close: closeIcon,
  copy: copyIcon,
  done: doneIcon,
  add: addIcon,
  next: nextIcon,
  open: openIcon,
  search: searchIcon,
  play: playIcon,
  microphone: microphoneIcon,
  stop: stopIcon,
  forward: forwardIcon,
  swap: swapIcon,
  mail: mailIcon,
  problem: problemIcon,
  warning: warningIcon,
  success: successIcon,
  download: downloadIcon,
  network: networkIcon,
  time: timeIcon,
  safe: safeIcon,
  audio: audioIcon,
  renew: renewIcon,
  upload: uploadIcon,
  message: messageIcon,
  document: documentIcon,
} as const;

export type IconName = keyof typeof icons;

/** Every icon, for the page that shows them. */
export const iconNames: readonly IconName[] = Object.keys(icons).filter(
  (name): name is IconName => name in icons,
);

/** The icon's shapes, without the element around them. */
const shapesOf = (svg: string): string => svg.slice(svg.indexOf(">") + 1, svg.lastIndexOf("</svg>")).trim();

const shapes = new Map(Object.entries(icons).map(([name, svg]) => [name, shapesOf(svg)]));

/** An icon next to words that say the same, so it is not read aloud. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg
    class="icon"
    viewBox="0 0 24 24"
    aria-hidden="true"
    dangerouslySetInnerHTML={{ __html: shapes.get(name) ?? "" }}
  />
);

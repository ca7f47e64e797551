import { noteSession, readSession } from "./parts/session.ts";

/** What every page improves once its script runs. Everything works without it, but for the clipboard. */
const shownMilliseconds = 2_000;

/** The code of the tab that is open, or the result in the block. */
const shownText = (block: Element | null): string => {
  const codes = Array.from(block?.querySelectorAll<HTMLElement>("code, .answer, .turn:last-child") ?? []);
  const shown = codes.find((code) => code.offsetParent !== null) ?? codes[0];
  return (shown?.textContent ?? "").trimEnd();
};

const bindCopy = (button: HTMLButtonElement): void => {
  const label = button.querySelector("span");
  const words = label?.textContent ?? "";
  button.addEventListener("click", () => {
    void navigator.clipboard.writeText(shownText(button.closest("[data-copied]"))).then(() => {
      if (!label) return;
      label.textContent = button.dataset["done"] ?? words;
      setTimeout(() => {
        label.textContent = words;
      }, shownMilliseconds);
    });
  });
  button.hidden = false;
};

const bindPassword = (button: HTMLButtonElement): void => {
  const field = document.getElementById(button.dataset["shows"] ?? "");
  if (!(field instanceof HTMLInputElement)) return;
  const show = button.textContent;
  const hide = button.dataset["hide"] ?? "";
  button.addEventListener("click", () => {
    const isShown = field.type === "text";
    field.type = isShown ? "password" : "text";
    button.textContent = isShown ? show : hide;
  });
  // Browsers remember what is sent as text, and fill it in elsewhere.
  field.form?.addEventListener("submit", () => {
    field.type = "password";
  });
  button.hidden = false;
};

const tabKey = "code-language";

/** A reader's choice of a language of code holds for all pages. */
const bindTabs = (): void => {
  const tabs = Array.from(document.querySelectorAll<HTMLInputElement>("input[data-tab]"));
  const choose = (id: string): void => {
    for (const tab of tabs) if (tab.value === id) tab.checked = true;
  };
  for (const tab of tabs) {
    tab.addEventListener("change", () => {
      choose(tab.value);
      remember(tab.value);
    });
  }
  const known = recall();
  if (known !== null) choose(known);
};

// Browsers that store nothing throw.
const remember = (id: string): void => {
  try {
    localStorage.setItem(tabKey, id);
  } catch {}
};
const recall = (): string | null => {
  try {
    return localStorage.getItem(tabKey);
  } catch {
    return null;
  }
};

const bindMenus = (): void => {
  const menus = Array.from(document.querySelectorAll<HTMLDetailsElement>("details.menu"));
  addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    for (const menu of menus.filter(({ open }) => open)) {
      menu.open = false;
      menu.querySelector("summary")?.focus();
    }
  });
  addEventListener("click", ({ target }) => {
    for (const menu of menus) if (target instanceof Node && !menu.contains(target)) menu.open = false;
  });
};

/** Says that a table can be moved, and only where it is wider than what is around it. */
const hintAtWideTables = (): void => {
  for (const hint of document.querySelectorAll<HTMLElement>(".swipe")) {
    const table = hint.previousElementSibling;
    if (!table) continue;
    const show = (): void => {
      const isWide = table.scrollWidth > table.clientWidth;
      hint.hidden = !isWide;
      hint.classList.toggle("needed", isWide);
    };
    new ResizeObserver(show).observe(table);
  }
};

/** Shows a link to the account to readers with a session, on pages that are the same for everyone. */
const showAccount = async (url: string): Promise<void> => {
  if (!(await readSession(url))) return;
  for (const part of document.querySelectorAll<HTMLElement>("[data-for]"))
    part.hidden = part.dataset["for"] !== "account";
};

/** Loads the scripts of this page. Until now, they would have shared a slow network with the style sheets. */
const loadOthers = ({ dataset }: HTMLElement): void => {
  for (const address of dataset["then"]?.split(" ") ?? []) {
    document.head.append(Object.assign(document.createElement("script"), { type: "module", src: address }));
  }
};

for (const script of document.querySelectorAll<HTMLElement>("script[data-then]")) loadOthers(script);
// Browsers offer the clipboard to secure origins only. Elsewhere people select the text themselves.
if (navigator.clipboard)
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-copy]")) bindCopy(button);
for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-shows]")) bindPassword(button);
bindTabs();
bindMenus();
hintAtWideTables();
if (document.querySelector('form[action$="/console/log-out"]')) noteSession(true);
for (const { dataset } of document.querySelectorAll<HTMLElement>(".end[data-session-url]"))
  void showAccount(dataset["sessionUrl"] ?? "").catch(() => undefined);

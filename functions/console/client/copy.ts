const shownMilliseconds = 2_000;

const bind = (button: HTMLButtonElement): void => {
  const label = button.textContent;
  button.addEventListener("click", () => {
    const text = button.closest("figure")?.querySelector("code")?.textContent ?? "";
    void navigator.clipboard.writeText(text).then(() => {
      button.textContent = button.dataset["copied"] ?? label;
      setTimeout(() => {
        button.textContent = label;
      }, shownMilliseconds);
    });
  });
  button.hidden = false;
};

// Browsers offer the clipboard to secure origins only. Elsewhere people select the text themselves.
if (navigator.clipboard)
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-copy]")) bind(button);

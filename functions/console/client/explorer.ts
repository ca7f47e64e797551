interface ExplorerOptions {
  readonly url: string | undefined;
  readonly domNode: HTMLElement;
  readonly deepLinking: boolean;
  readonly defaultModelsExpandDepth: number;
  readonly docExpansion: "none";
  readonly filter: boolean;
  readonly validatorUrl: null;
}

declare global {
  interface Window {
    /** Set by `swagger-ui-bundle.js`. */
    readonly SwaggerUIBundle?: (options: ExplorerOptions) => unknown;
  }
}

const isDark = matchMedia("(prefers-color-scheme: dark)");
const follow = (): void => {
  document.documentElement.classList.toggle("dark-mode", isDark.matches);
};
isDark.addEventListener("change", follow);
follow();

const domNode = document.querySelector<HTMLElement>("#explorer");
if (domNode) {
  window.SwaggerUIBundle?.({
    url: domNode.dataset["document"],
    domNode,
    deepLinking: true,
    docExpansion: "none",
    defaultModelsExpandDepth: -1,
    filter: true,
    // The document is not sent to a validation service.
    validatorUrl: null,
  });
}

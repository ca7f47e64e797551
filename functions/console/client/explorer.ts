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
    /** Comes with `swagger-ui-bundle.js`. */
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
    // Nothing is sent to anybody to be judged.
    validatorUrl: null,
  });
}

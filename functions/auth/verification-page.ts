/** Whether a client would rather have a page than JSON: browsers name `text/html`, scripts do not. */
export const prefersHtml = (accept: string | undefined): boolean => /\btext\/html\b/i.test(accept ?? "");

/** The small page a person sees after following the verification link. It takes no input, so nothing is escaped. */
export const verificationPage = (title: string, message: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1rem}</style>
</head>
<body>
<h1>${title}</h1>
<p>${message}</p>
</body>
</html>
`;

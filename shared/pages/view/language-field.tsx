import { useFrame } from "./frame.ts";

/** The language of the page, in a form that opens another one: browsers replace the query of its address. */
export const LanguageField = () => {
  const { language, languages } = useFrame();
  return languages.length > 1 ? <input type="hidden" name="language" value={language} /> : null;
};

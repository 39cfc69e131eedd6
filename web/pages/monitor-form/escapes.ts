/** Control characters in a text field, written as in most programming languages: \r, \n, \t, and \\ for a backslash. */
const escapes: readonly (readonly [character: string, text: string])[] = [
  ['\r', '\\r'],
  ['\n', '\\n'],
  ['\t', '\\t'],
  ['\\', '\\\\'],
]

export const escapeControls = (text: string) =>
  text.replace(/[\r\n\t\\]/g, (character) => escapes.find(([each]) => each === character)?.[1] ?? character)

/** Leaves unknown sequences unchanged. */
export const unescapeControls = (text: string) =>
  text.replace(/\\[rnt\\]/g, (sequence) => escapes.find(([, each]) => each === sequence)?.[0] ?? sequence)

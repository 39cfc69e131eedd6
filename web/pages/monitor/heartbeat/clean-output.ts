/** Escape sequences of terminals, which set colours or move the cursor. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these sequences begin with a control character
const escapeSequences = /\u001b(?:\[[0-9;:?<=>]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g
/** Control characters other than tab and line feed, and characters that change the direction of the text after them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: removes control characters
const unprintable = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

/**
 * Returns the output of a job as plain text. Programs that redraw a line, such as a progress bar, begin each version of
 * the line with a carriage return, so a carriage return becomes a line break.
 */
export const cleanOutput = (output: string) =>
  output.replace(escapeSequences, '').replace(/\r\n?/g, '\n').replace(unprintable, '').trimEnd()

/** The beginning of a text, without half a character at its end. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text
  const start = text.slice(0, most)
  return start.isWellFormed() ? start : start.slice(0, -1)
}

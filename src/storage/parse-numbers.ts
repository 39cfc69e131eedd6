/** Parses an array of numbers in PostgreSQL's text format. */
export function parseNumbers(text = '{}'): (number | null)[] {
  return JSON.parse(`[${text.slice(1, -1).replaceAll('NULL', 'null')}]`)
}

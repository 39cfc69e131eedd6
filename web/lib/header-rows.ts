/** Custom headers in forms: rows with a name and a value. */

export interface HeaderRow {
  key: number
  name: string
  value: string
  /** The last characters of the saved value. The server keeps the saved value unless the user types another one. */
  savedLastCharacters?: string
}

/** The API returns the names of headers with the last characters of their values. */
export const toHeaderRows = (headers: Readonly<Record<string, string>>): HeaderRow[] =>
  Object.entries(headers).map(([name, savedLastCharacters], key) => ({ key, name, value: '', savedLastCharacters }))

/** For a saved value that the user hasn't changed, returns its last characters, so that the server keeps the value. */
export function toHeadersInput(rows: readonly HeaderRow[]): Record<string, string> {
  return Object.fromEntries(
    rows
      .filter(({ name, value }) => name.trim() !== '' || value !== '')
      .map(({ name, value, savedLastCharacters }) => [name.trim(), value === '' ? (savedLastCharacters ?? '') : value]),
  )
}

/** Headers are sent as an object, which would silently drop the first of two headers with the same name. */
export function findRepeatedHeader(rows: readonly HeaderRow[]): string | undefined {
  const names = rows.map(({ name }) => name.trim()).filter(Boolean)
  const lowerNames = names.map((name) => name.toLowerCase())
  return names.find((_, index) => lowerNames.indexOf(lowerNames[index] ?? '') !== index)
}

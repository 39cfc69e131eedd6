/** The language that a browser asks for first. */

/** Browsers send fewer than ten languages. */
const HEADER_MOST = 500

/** Old names that some systems still send. */
const renamed: Readonly<Record<string, string>> = { iw: 'he', in: 'id', ji: 'yi', mo: 'ro', tl: 'fil' }

/** `de` of `de-CH,de;q=0.9,en;q=0.8`: in lower case, without where it is spoken. */
export function languageOf(acceptLanguage: string | undefined): string | undefined {
  if (acceptLanguage === undefined) return undefined
  let preferred: string | undefined
  let most = 0
  for (const entry of acceptLanguage.slice(0, HEADER_MOST).split(',')) {
    const match = /^\s*([a-z]{2,3})(?:[-_][\w-]*)?\s*(?:;\s*q\s*=\s*(0(?:\.\d*)?|1(?:\.0*)?)\s*)?$/i.exec(entry)
    const weight = Number(match?.[2] ?? 1)
    if (match === null || weight <= most) continue
    preferred = match[1]?.toLowerCase()
    most = weight
    if (weight === 1) break
  }
  return preferred === undefined ? undefined : (renamed[preferred] ?? preferred)
}

/** Language and screen size, as the visitor's browser reports them. */

/** Browsers send fewer than ten languages, which fit into this length. */
const MAX_ACCEPT_LANGUAGE_LENGTH = 500

/** Maps outdated language codes, which some systems still send, to the current ones. */
const currentCodes: Readonly<Record<string, string>> = { iw: 'he', in: 'id', ji: 'yi', mo: 'ro', tl: 'fil' }

/** Returns the language with the highest weight, without its region: `de` for `de-CH,de;q=0.9,en;q=0.8`. */
export function parseLanguage(acceptLanguage: string | undefined): string | undefined {
  if (acceptLanguage === undefined) return undefined
  let preferredLanguage: string | undefined
  let highestWeight = 0
  for (const entry of acceptLanguage.slice(0, MAX_ACCEPT_LANGUAGE_LENGTH).split(',')) {
    const match = /^\s*([a-z]{2,3})(?:[-_][\w-]*)?\s*(?:;\s*q\s*=\s*(0(?:\.\d*)?|1(?:\.0*)?)\s*)?$/i.exec(entry)
    const weight = Number(match?.[2] ?? 1)
    if (match === null || weight <= highestWeight) continue
    preferredLanguage = match[1]?.toLowerCase()
    highestWeight = weight
    if (weight === 1) break
  }
  return preferredLanguage === undefined ? undefined : (currentCodes[preferredLanguage] ?? preferredLanguage)
}

const MAX_SIDE_PIXELS = 20_000

/** Accepts only text such as `1920x1080`. */
export function parseScreenResolution(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined
  const sides = /^([1-9]\d{0,4})x([1-9]\d{0,4})$/.exec(text)
  if (sides === null || Number(sides[1]) > MAX_SIDE_PIXELS || Number(sides[2]) > MAX_SIDE_PIXELS) return undefined
  return text
}

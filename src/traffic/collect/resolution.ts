const PIXELS_MOST = 20_000

/** The size of a screen, such as 1920x1080. */
export function resolutionOf(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined
  const sides = /^([1-9]\d{0,4})x([1-9]\d{0,4})$/.exec(text)
  if (sides === null || Number(sides[1]) > PIXELS_MOST || Number(sides[2]) > PIXELS_MOST) return undefined
  return text
}

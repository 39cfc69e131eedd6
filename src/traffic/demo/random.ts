/** Reproducible random numbers for sample data. Never use them for secrets. */

/** Returns a number that is at least 0 and less than 1. */
export type Random = () => number

/**
 * The sfc32 generator, with three words of state and a counter. It is not from a package, because a new version of the
 * package might change the data that a seed generates.
 */
export function seededRandom(...seeds: readonly number[]): Random {
  const [first = 0, second = 0] = seeds
  let a = first | 0
  let b = second | 0
  let c = 0x9e3779b9
  let counter = 1
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return (sum >>> 0) / 4_294_967_296
  }
  // Skips the first numbers, because those of similar seeds are similar.
  for (let n = 0; n < 16; n++) next()
  return next
}

/** A whole number of 53 bits. */
export function randomBits53(random: Random): number {
  return Math.floor(random() * 2_097_152) * 4_294_967_296 + Math.floor(random() * 4_294_967_296)
}

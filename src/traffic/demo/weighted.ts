import type { Random } from './random.ts'

/**
 * Picks items in proportion to their weights, in constant time (Vose's alias method). There is one slot per item, and
 * each slot is picked equally often. A slot yields its own item with the probability in `ownProbabilities`, and
 * otherwise the item whose index is in `aliases`.
 */
export function createWeightedPicker<T>(
  items: readonly T[],
  weightOf: (item: T, index: number) => number,
): (random: Random) => T {
  const weights = items.map(weightOf)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const shares = weights.map((weight) => (weight * items.length) / total)
  const ownProbabilities = new Float64Array(items.length).fill(1)
  const aliases = items.map((_, index) => index)
  const lightIndexes = indexesWhere(shares, (share) => share < 1)
  const heavyIndexes = indexesWhere(shares, (share) => share >= 1)
  while (lightIndexes.length > 0 && heavyIndexes.length > 0) {
    const light = lightIndexes.pop() as number
    const heavy = heavyIndexes.pop() as number
    ownProbabilities[light] = shares[light] as number
    aliases[light] = heavy
    shares[heavy] = (shares[heavy] as number) + (shares[light] as number) - 1
    const list = (shares[heavy] as number) < 1 ? lightIndexes : heavyIndexes
    list.push(heavy)
  }
  return (random) => {
    const position = random() * items.length
    const slot = Math.floor(position)
    return items[position - slot < (ownProbabilities[slot] as number) ? slot : (aliases[slot] as number)] as T
  }
}

function indexesWhere(numbers: readonly number[], test: (value: number) => boolean): number[] {
  return numbers.flatMap((value, index) => (test(value) ? [index] : []))
}

/** A few items are frequent and most are rare, like the pages of a website. */
export const longTailWeight = (_item: unknown, index: number) => 1 / (index + 1.5) ** 1.1

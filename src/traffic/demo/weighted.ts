import type { Random } from './random.ts'

/** Picks among many at the same cost as among two: every slot holds one item, and what is left of another (Vose). */
export function createWeightedPicker<T>(
  items: readonly T[],
  weightOf: (item: T, index: number) => number,
): (r: Random) => T {
  const weights = items.map(weightOf)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const shares = weights.map((weight) => (weight * items.length) / total)
  const keep = new Float64Array(items.length).fill(1)
  const other = items.map((_, index) => index)
  const small = indexesWhere(shares, (share) => share < 1)
  const large = indexesWhere(shares, (share) => share >= 1)
  while (small.length > 0 && large.length > 0) {
    const poor = small.pop() as number
    const rich = large.pop() as number
    keep[poor] = shares[poor] as number
    other[poor] = rich
    shares[rich] = (shares[rich] as number) + (shares[poor] as number) - 1
    const pile = (shares[rich] as number) < 1 ? small : large
    pile.push(rich)
  }
  return (random) => {
    const place = random() * items.length
    const slot = Math.floor(place)
    return items[place - slot < (keep[slot] as number) ? slot : (other[slot] as number)] as T
  }
}

function indexesWhere(numbers: readonly number[], test: (value: number) => boolean): number[] {
  return numbers.flatMap((value, index) => (test(value) ? [index] : []))
}

/** A few are common and very many are rare, as with the pages of a site. */
export const longTailWeight = (_item: unknown, index: number) => 1 / (index + 1.5) ** 1.1

/** Counts by number, in arrays of numbers: most of what a Map does is to look after values of every kind. */

/** What both are, for whoever reads them. In no order that matters. */
export interface ReadableCounts {
  forEach(take: (count: number, key: number) => void): void
}

/** Numbers of a website follow each other, so most of what is made room for is used. */
const BITS = 8
const SIZE = 2 ** BITS

export class CountTable implements ReadableCounts {
  /** With gaps. */
  readonly #parts: Float64Array[] = []

  /** `key`: from 0 to 2^31 - 1. */
  add(key: number, count: number): void {
    const part = this.#parts[key >> BITS] ?? this.#makePart(key >> BITS)
    const place = key & (SIZE - 1)
    part[place] = (part[place] as number) + count
  }

  /** The least key first, without those that came to nothing. */
  forEach(take: (count: number, key: number) => void): void {
    // Not every index up to the last: between two numbers far apart there may be millions without a part.
    for (const [index, part] of Object.entries(this.#parts)) {
      for (let place = 0; place < SIZE; place++) {
        const count = part[place] as number
        if (count !== 0) take(count, Number(index) * SIZE + place)
      }
    }
  }

  #makePart(index: number): Float64Array {
    const part = new Float64Array(SIZE)
    this.#parts[index] = part
    return part
  }
}

/** Adds up counts by number, in arrays of numbers: half of what a Map does is to look after values of every kind. */

const FIRST_CAPACITY = 1_024
const EMPTY = -1
/** Spreads numbers that follow each other (Knuth). */
const SPREAD = 0x9e3779b1

export class NumberTable {
  #keys = new Int32Array(FIRST_CAPACITY).fill(EMPTY)
  #counts = new Float64Array(FIRST_CAPACITY)
  #size = 0

  /** `key`: from 0 to 2^31 - 1. */
  add(key: number, count: number): void {
    const slot = this.#find(key)
    if (this.#keys[slot] === EMPTY) {
      this.#keys[slot] = key
      this.#size++
    }
    this.#counts[slot] = (this.#counts[slot] as number) + count
    if (this.#size * 2 > this.#keys.length) this.#grow()
  }

  toSums(): Map<number, number> {
    const sums = new Map<number, number>()
    for (const [slot, key] of this.#keys.entries()) if (key !== EMPTY) sums.set(key, this.#counts[slot] as number)
    return sums
  }

  #find(key: number): number {
    const keys = this.#keys
    const last = keys.length - 1
    let slot = (Math.imul(key, SPREAD) >>> 7) & last
    while (keys[slot] !== key && keys[slot] !== EMPTY) slot = (slot + 1) & last
    return slot
  }

  #grow(): void {
    const [keys, counts] = [this.#keys, this.#counts]
    this.#keys = new Int32Array(keys.length * 4).fill(EMPTY)
    this.#counts = new Float64Array(keys.length * 4)
    for (const [old, key] of keys.entries()) {
      if (key === EMPTY) continue
      const slot = this.#find(key)
      this.#keys[slot] = key
      this.#counts[slot] = counts[old] as number
    }
  }
}

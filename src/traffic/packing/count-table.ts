/** What Map and CountTable have in common. The order does not matter to readers. */
export interface ReadableCounts {
  forEach(visit: (count: number, id: number) => void): void
}

/** The ids of a website are consecutive, so most of the numbers in a block are used. */
const BLOCK_BITS = 8
const BLOCK_SIZE = 2 ** BLOCK_BITS

/** Counts by id, in typed arrays instead of a Map: adding up packed counts spends most of its time here. */
export class CountTable implements ReadableCounts {
  /** A sparse array. */
  readonly #blocks: Float64Array[] = []

  /** `id`: from 0 to 2^31 - 1. */
  add(id: number, count: number): void {
    const block = this.#blocks[id >> BLOCK_BITS] ?? this.#createBlock(id >> BLOCK_BITS)
    const index = id & (BLOCK_SIZE - 1)
    block[index] = (block[index] as number) + count
  }

  /** In ascending order of ids, without counts of 0. */
  forEach(visit: (count: number, id: number) => void): void {
    // Object.entries skips the gaps, which may be millions of blocks long.
    for (const [blockIndex, block] of Object.entries(this.#blocks)) {
      for (let index = 0; index < BLOCK_SIZE; index++) {
        const count = block[index] as number
        if (count !== 0) visit(count, Number(blockIndex) * BLOCK_SIZE + index)
      }
    }
  }

  #createBlock(blockIndex: number): Float64Array {
    const block = new Float64Array(BLOCK_SIZE)
    this.#blocks[blockIndex] = block
    return block
  }
}

/** The methods that Map and CountTable have in common. Readers must not rely on the order of ids. */
export interface ReadableCounts {
  get(id: number): number | undefined
  forEach(callback: (count: number, id: number) => void): void
}

/** A block has the counts of 256 consecutive ids. The ids of a website have no gaps, so a block wastes little space. */
const BLOCK_BITS = 8
const BLOCK_SIZE = 2 ** BLOCK_BITS

/** Counts by id, in typed arrays instead of a Map: adding up packed counts spends most of its time here. */
export class CountTable implements ReadableCounts {
  /** Sparse: only blocks with counts exist. */
  readonly #blocks: Float64Array[] = []

  /** `id` must be between 0 and 2^31 - 1. */
  add(id: number, count: number): void {
    const block = this.#blocks[id >> BLOCK_BITS] ?? this.#createBlock(id >> BLOCK_BITS)
    const index = id & (BLOCK_SIZE - 1)
    block[index] = (block[index] as number) + count
  }

  get(id: number): number | undefined {
    return this.#blocks[id >> BLOCK_BITS]?.[id & (BLOCK_SIZE - 1)]
  }

  /** Goes through the ids in ascending order and skips counts of 0. */
  forEach(callback: (count: number, id: number) => void): void {
    // Object.entries skips the gaps, which may be millions of blocks long.
    for (const [blockIndex, block] of Object.entries(this.#blocks)) {
      for (let index = 0; index < BLOCK_SIZE; index++) {
        const count = block[index] as number
        if (count !== 0) callback(count, Number(blockIndex) * BLOCK_SIZE + index)
      }
    }
  }

  #createBlock(blockIndex: number): Float64Array {
    const block = new Float64Array(BLOCK_SIZE)
    this.#blocks[blockIndex] = block
    return block
  }
}

/**
 * A queue that its keys share fairly. Each key has its own line, `takeBatch` takes from all lines in turn, and no key
 * can take up more space than is still free: a key that is alone can use half of the queue, two keys a third each, and
 * so on. So there is always room for a key that has nothing in the queue.
 */
export interface QueueLimits {
  maxItems: number
  maxBytes: number
}

interface QueueItem {
  bytes: number
}

interface Line<Item> {
  key: unknown
  items: Item[]
  /** The index of the first item that is still waiting. Removing items one by one from the start would be slow. */
  head: number
  bytes: number
}

/**
 * Taken items stay in their line's array until there are at least this many and they make up half of the array, or
 * until the line is empty.
 */
const MIN_REMOVED_ITEMS = 100

export class FairQueue<Item extends QueueItem> {
  readonly #limits: QueueLimits
  readonly #linesByKey = new Map<unknown, Line<Item>>()
  /** All lines that have items, in the order in which `takeBatch` comes to them. */
  #lines: Line<Item>[] = []
  #length = 0
  #bytes = 0

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  get length(): number {
    return this.#length
  }

  /** Returns false, and adds nothing, if the key has used up its share. */
  add(key: unknown, item: Item): boolean {
    const line = this.#linesByKey.get(key) ?? { key, items: [], head: 0, bytes: 0 }
    const usedItems = line.items.length - line.head
    const { maxItems, maxBytes } = this.#limits
    if (usedItems >= maxItems - this.#length || line.bytes + item.bytes > maxBytes - this.#bytes) return false
    if (usedItems === 0) {
      this.#linesByKey.set(key, line)
      this.#lines.push(line)
    }
    line.items.push(item)
    line.bytes += item.bytes
    this.#length++
    this.#bytes += item.bytes
    return true
  }

  /**
   * Removes items up to the limits, but at least one. The next batch begins with the keys that this batch didn't reach.
   */
  takeBatch({ maxItems, maxBytes }: QueueLimits): Item[] {
    const batch: Item[] = []
    let batchBytes = 0
    while (this.#lines.length > 0) {
      const remainingLines: Line<Item>[] = []
      for (let index = 0; index < this.#lines.length; index++) {
        const line = this.#lines[index] as Line<Item>
        const item = line.items[line.head] as Item
        if (batch.length >= maxItems || (batch.length > 0 && batchBytes + item.bytes > maxBytes)) {
          this.#lines = [...this.#lines.slice(index), ...remainingLines]
          return batch
        }
        batch.push(item)
        batchBytes += item.bytes
        this.#removeFirst(line, item)
        if (line.items.length > 0) remainingLines.push(line)
        else this.#linesByKey.delete(line.key)
      }
      this.#lines = remainingLines
    }
    return batch
  }

  #removeFirst(line: Line<Item>, item: Item): void {
    line.head++
    line.bytes -= item.bytes
    this.#length--
    this.#bytes -= item.bytes
    const isEmpty = line.head === line.items.length
    if (!isEmpty && (line.head < MIN_REMOVED_ITEMS || line.head * 2 < line.items.length)) return
    line.items.splice(0, line.head)
    line.head = 0
  }
}

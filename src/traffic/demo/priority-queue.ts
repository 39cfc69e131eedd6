/** What comes next in time comes out first. A binary heap. */
export class PriorityQueue<T extends { at: number }> {
  readonly #items: T[] = []

  get next(): T | undefined {
    return this.#items[0]
  }

  push(item: T): void {
    const items = this.#items
    let place = items.push(item) - 1
    while (place > 0) {
      const above = (place - 1) >> 1
      const parent = items[above] as T
      if (parent.at <= item.at) break
      items[place] = parent
      place = above
    }
    items[place] = item
  }

  /** Puts the first back to where its new time belongs. */
  sink(): void {
    const items = this.#items
    const item = items[0] as T
    let place = 0
    for (;;) {
      let below = 2 * place + 1
      if (below >= items.length) break
      if (below + 1 < items.length && (items[below + 1] as T).at < (items[below] as T).at) below++
      const child = items[below] as T
      if (child.at >= item.at) break
      items[place] = child
      place = below
    }
    items[place] = item
  }

  shift(): void {
    const last = this.#items.pop() as T
    if (this.#items.length === 0) return
    this.#items[0] = last
    this.sink()
  }
}

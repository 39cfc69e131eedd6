/** A status page as this node last read it, with the forms that were rendered from it. */
import type { StoredLogo } from '../logo/store.ts'
import type { StatusPageSnapshot } from '../snapshot.ts'
import type { FormVariant, Rendering } from './rendering.ts'

/** Without BELFRY_URL, links contain the host of the request, so there are renderings for several hosts. */
const MAX_RENDERINGS = 16

export class PageCopy {
  readonly snapshot: StatusPageSnapshot
  readonly logo: StoredLogo | undefined
  /** Whether the data folder has this copy. */
  isStored: boolean
  readonly #baseSize: number
  /** In the order of creation. */
  readonly #renderings = new Map<string, { variant: FormVariant; rendering: Rendering }>()
  readonly #pendingRenderings = new Map<string, Promise<Rendering>>()

  constructor(snapshot: StatusPageSnapshot, logo: StoredLogo | undefined, { isStored = false } = {}) {
    this.snapshot = snapshot
    this.logo = logo
    this.isStored = isStored
    // In memory, an object takes about twice the bytes of its JSON.
    this.#baseSize = 2 * JSON.stringify(snapshot).length + (logo?.content.length ?? 0)
  }

  /** Estimated bytes in memory. */
  get size(): number {
    return this.#renderings.values().reduce((sum, { rendering }) => sum + rendering.size, this.#baseSize)
  }

  listVariants(): FormVariant[] {
    return [...this.#renderings.values().map(({ variant }) => variant)]
  }

  findRendering(key: string): Rendering | undefined {
    return this.#renderings.get(key)?.rendering
  }

  /** Requests that ask for the same variant at the same time share one rendering. */
  render(key: string, variant: FormVariant, create: () => Promise<Rendering>): Promise<Rendering> {
    const pending = this.#pendingRenderings.get(key)
    if (pending !== undefined) return pending
    const created = create()
      .then((rendering) => {
        const [oldestKey] = this.#renderings.keys()
        if (this.#renderings.size >= MAX_RENDERINGS && oldestKey !== undefined) this.#renderings.delete(oldestKey)
        this.#renderings.set(key, { variant, rendering })
        return rendering
      })
      .finally(() => this.#pendingRenderings.delete(key))
    this.#pendingRenderings.set(key, created)
    return created
  }
}

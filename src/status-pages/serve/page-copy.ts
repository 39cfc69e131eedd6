/** A status page as this node last read it, with the formats that were rendered from it. */
import type { StoredLogo } from '../logo/store.ts'
import type { StatusPageSnapshot } from '../snapshot.ts'
import { RenderBudget } from './render-budget.ts'
import type { FormatVariant, Rendering } from './rendering.ts'

/**
 * A page usually needs fewer: HTML for the server's host and for the custom domain, JSON, three feeds, and HTML that
 * shows its age.
 */
const MAX_RENDERINGS = 8

interface StoredRendering {
  variant: FormatVariant
  rendering: Rendering
  /** Whether a visitor has received this rendering. */
  isUsed: boolean
}

export class PageCopy {
  readonly snapshot: StatusPageSnapshot
  readonly logo: StoredLogo | undefined
  /** Whether the data folder has this copy. */
  isStored: boolean
  /** The server's own instance replaces this one. */
  renderBudget = new RenderBudget()
  /** Called when a new rendering takes memory. */
  onRendered: () => void = () => {}
  readonly #baseSize: number
  /** Renderings by the result of `toRenderingKey`, in the order of creation. */
  readonly #renderings = new Map<string, StoredRendering>()
  readonly #pendingRenderings = new Map<string, Promise<Rendering>>()
  /** Settles when all renderings that were requested so far have ended. */
  #lastRendering: Promise<unknown> = Promise.resolve()

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

  /** The variants that visitors asked for. */
  listUsedVariants(): FormatVariant[] {
    return [...this.#renderings.values().flatMap(({ variant, isUsed }) => (isUsed ? [variant] : []))]
  }

  /** Marks the rendering as used, so call it only for visitors. */
  findRendering(key: string): Rendering | undefined {
    const storedRendering = this.#renderings.get(key)
    if (storedRendering === undefined) return undefined
    storedRendering.isUsed = true
    return storedRendering.rendering
  }

  /** Finds a rendering of the same format that may show another age. */
  findSimilar({ format, pathPrefix }: FormatVariant): Rendering | undefined {
    return this.#renderings
      .values()
      .find(({ variant }) => variant.format === format && variant.pathPrefix === pathPrefix)?.rendering
  }

  /**
   * Requests that ask for the same variant at the same time share one rendering. Different variants are rendered one after the other,
   * because each rendering of a large page takes memory and a thread.
   */
  render(key: string, variant: FormatVariant, create: () => Promise<Rendering>): Promise<Rendering> {
    const pendingRendering = this.#pendingRenderings.get(key)
    if (pendingRendering !== undefined) return pendingRendering
    const newRendering = this.#lastRendering
      .then(create)
      .then((rendering) => {
        const [oldestKey] = this.#renderings.keys()
        if (this.#renderings.size >= MAX_RENDERINGS && oldestKey !== undefined) this.#renderings.delete(oldestKey)
        this.#renderings.set(key, { variant, rendering, isUsed: false })
        this.onRendered()
        return rendering
      })
      .finally(() => this.#pendingRenderings.delete(key))
    this.#pendingRenderings.set(key, newRendering)
    this.#lastRendering = newRendering.catch(() => {})
    return newRendering
  }

  dropRenderings(): void {
    this.#renderings.clear()
  }
}

/** Which pages would have been one and the same without some parameters. By the rule that events are counted by. */
import { compileExclusions, isExcluded, namesIn, pageOf, withoutExcluded } from '../collect/page.ts'
import type { ExclusionPreview } from './schema.ts'

const EXAMPLES_MOST = 5
/** Anybody can make up names. Those of the most viewed pages come first. */
const NAMES_MOST = 10_000
/** Longer ones are no line that the registry takes. */
const NAME_MOST = 200

interface Found {
  pages: number
  views: number
}

interface Line extends Found {
  line: string
  excluded: ReturnType<typeof compileExclusions>
}

interface Name extends Found {
  /** Those that exclude it. */
  lines: readonly Line[]
}

export interface Merged {
  value: string
  count: number
  pages: number
  merged: string[]
}

export class Merging {
  readonly #list: string | null
  readonly #lines: readonly Line[]
  /** By any of them. */
  readonly #excluded: ReturnType<typeof compileExclusions> | undefined
  /** By what is left of them. */
  readonly #merged = new Map<string, Merged>()
  /** Pages that stay, with their views. */
  readonly #kept = new Map<string, number>()
  readonly #names = new Map<string, Name>()

  /** `list`: as the registry keeps it. */
  constructor(list: string | null) {
    this.#list = list
    this.#excluded = list === null ? undefined : compileExclusions(list)
    const lines = list?.split('\n') ?? []
    this.#lines = lines.map((line) => ({ line, excluded: compileExclusions(line), pages: 0, views: 0 }))
  }

  /** A page with a query; the most viewed first. */
  add(page: string, views: number): void {
    // Whoever imports may call pages anything.
    const url = page.startsWith('/') ? URL.parse(`http://localhost${page}`) : null
    if (url === null) {
      this.keep(page, views)
      return
    }
    const names = [...new Set(namesIn(url))].map((name) => this.#nameOf(name))
    for (const name of names) count(name, views)
    for (const line of new Set(names.flatMap(({ lines }) => lines))) count(line, views)
    const left = this.#leftOf(url, page)
    if (left === page) this.keep(page, views)
    else this.#merge(left, page, views)
  }

  #nameOf(name: string): Name {
    const known = this.#names.get(name)
    if (known !== undefined) return known
    const made = { lines: this.#linesFor(name), pages: 0, views: 0 }
    if (this.#names.size < NAMES_MOST) this.#names.set(name, made)
    return made
  }

  /** Nearly every name is in none, which is found out a hundred times sooner than by asking each line. */
  #linesFor(name: string): readonly Line[] {
    if (this.#excluded === undefined || !isExcluded(name, this.#excluded)) return []
    return this.#lines.filter(({ excluded }) => isExcluded(name, excluded))
  }

  #leftOf(url: URL, page: string): string {
    const left = withoutExcluded(url, this.#list)
    // A fragment was kept only where it belongs to the page.
    return left === url ? page : pageOf(left, true)
  }

  #merge(left: string, page: string, views: number): void {
    const target = this.#merged.getOrInsertComputed(left, () => ({ value: left, count: 0, pages: 0, merged: [] }))
    target.count += views
    target.pages++
    if (target.merged.length < EXAMPLES_MOST) target.merged.push(page)
  }

  /** What others would have become and was not added: it may have been there too. */
  get missing(): string[] {
    return [...this.#merged.keys()].filter((page) => !this.#kept.has(page))
  }

  /** A page that stays as it is. */
  keep(page: string, views: number): void {
    this.#kept.set(page, views)
  }

  /** The one with the most pages first. */
  get merged(): Merged[] {
    const all = [...this.#merged.values()].map((target) => {
      const own = this.#kept.get(target.value)
      return own === undefined ? target : { ...target, count: target.count + own, pages: target.pages + 1 }
    })
    return all.sort((one, other) => other.pages - one.pages || other.count - one.count)
  }

  get lines(): ExclusionPreview['meta']['lines'] {
    return this.#lines.map(({ line, pages, views }) => ({ line, pages, views }))
  }

  get seen(): ExclusionPreview['meta']['seen'] {
    return [...this.#names]
      .map(([name, { pages, views }]) => ({ name: lineFor(name), pages, views }))
      .filter(({ name }) => name !== '' && name.length <= NAME_MOST)
      .sort((one, other) => other.views - one.views || other.pages - one.pages)
  }
}

function count(found: Found, views: number): void {
  found.pages++
  found.views += views
}

/** Escaped where a line could not hold it, or would read it otherwise. */
function lineFor(name: string): string {
  return name.replace(/[\s\p{Cc}&=#?*%+]/gu, (letter) => (letter === '*' ? '%2A' : encodeURIComponent(letter)))
}

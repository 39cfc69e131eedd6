/** Predicts which pages become one page if the collector removes the ignored parameters from their URLs. */
import { isOriginParameter } from '../collect/origin/campaign.ts'
import { formatPage } from '../collect/page/page.ts'
import {
  compileIgnoredParameters,
  type IgnoredParameters,
  isParameterIgnored,
  listParameterNames,
  removeIgnoredParameters,
} from '../collect/page/query-parameters.ts'
import type { ExclusionPreview } from './schema.ts'

/** A merged page names at most this many of the pages that merge into it. */
const MAX_NAMED_PAGES = 5
/** Anyone can invent parameter names, so their number is limited. Names on the most viewed pages are added first. */
const MAX_PARAMETERS = 10_000
/** Longer names are not suggested, because `websites/exclusions.ts` would reject them as lines of the list. */
const MAX_PARAMETER_NAME_LENGTH = 200

/** How many pages have a parameter, and how many views these pages have. */
interface UsageTotals {
  pages: number
  views: number
}

/** A line of the list of ignored parameters. */
interface ExclusionLine extends UsageTotals {
  text: string
  ignoredParameters: IgnoredParameters
}

interface Parameter extends UsageTotals {
  /** The lines that match the parameter's name. */
  lines: readonly ExclusionLine[]
}

type MergedPage = ExclusionPreview['data'][number]

export class PageMerger {
  readonly #excludeParams: string | null
  readonly #lines: readonly ExclusionLine[]
  /** All lines, compiled together. */
  readonly #ignoredParameters: IgnoredParameters | undefined
  /** The pages that other pages merge into, by path and query. */
  readonly #mergedPages = new Map<string, MergedPage>()
  /** Views of pages that have no ignored parameter. */
  readonly #unchangedPageViews = new Map<string, number>()
  readonly #parameters = new Map<string, Parameter>()

  /** `excludeParams` has one parameter per line, as a website stores it. */
  constructor(excludeParams: string | null) {
    this.#excludeParams = excludeParams
    this.#ignoredParameters = excludeParams === null ? undefined : compileIgnoredParameters(excludeParams)
    const lines = excludeParams?.split('\n') ?? []
    this.#lines = lines.map((text) => ({ text, ignoredParameters: compileIgnoredParameters(text), pages: 0, views: 0 }))
  }

  /** Call it for each page that has a query string, the most viewed page first. */
  add(page: string, views: number): void {
    // Imported pages can be any text.
    const url = page.startsWith('/') ? URL.parse(`http://localhost${page}`) : null
    if (url === null) {
      this.addUnchangedPage(page, views)
      return
    }
    const parameters = [...new Set(listParameterNames(url))].map((name) => this.#getParameter(name))
    for (const parameter of parameters) addUsage(parameter, views)
    for (const line of new Set(parameters.flatMap(({ lines }) => lines))) addUsage(line, views)
    const target = this.#findTarget(url, page)
    if (target === page) this.addUnchangedPage(page, views)
    else this.#merge(target, page, views)
  }

  addUnchangedPage(page: string, views: number): void {
    this.#unchangedPageViews.set(page, views)
  }

  /** Pages that others merge into. They may have views of their own, which the caller must add with `addUnchangedPage`. */
  get targetsWithUnknownViews(): string[] {
    return [...this.#mergedPages.keys()].filter((page) => !this.#unchangedPageViews.has(page))
  }

  /** Sorted by the number of pages that merge into one, highest first. */
  get mergedPages(): MergedPage[] {
    const pages = [...this.#mergedPages.values()].map((target) => {
      const ownViews = this.#unchangedPageViews.get(target.value)
      return ownViews === undefined ? target : { ...target, count: target.count + ownViews, pages: target.pages + 1 }
    })
    return pages.sort((one, other) => other.pages - one.pages || other.count - one.count)
  }

  get lines(): ExclusionPreview['meta']['lines'] {
    return this.#lines.map(({ text, pages, views }) => ({ line: text, pages, views }))
  }

  /**
   * Belfry 0.2.0 stored pages with parameters such as utm_source. New pages don't have these parameters, so there is no
   * need to ignore them.
   */
  get usedParameters(): ExclusionPreview['meta']['seen'] {
    return [...this.#parameters]
      .filter(([name]) => !isOriginParameter(name))
      .map(([name, { pages, views }]) => ({ name: escapeForLine(name), pages, views }))
      .filter(({ name }) => name !== '' && name.length <= MAX_PARAMETER_NAME_LENGTH)
      .sort((one, other) => other.views - one.views || other.pages - one.pages)
  }

  #getParameter(name: string): Parameter {
    const existingParameter = this.#parameters.get(name)
    if (existingParameter !== undefined) return existingParameter
    const parameter = { lines: this.#findLines(name), pages: 0, views: 0 }
    if (this.#parameters.size < MAX_PARAMETERS) this.#parameters.set(name, parameter)
    return parameter
  }

  /** Most names match no line. Checking the whole list first finds that out in a hundredth of the time. */
  #findLines(name: string): readonly ExclusionLine[] {
    if (this.#ignoredParameters === undefined || !isParameterIgnored(name, this.#ignoredParameters)) return []
    return this.#lines.filter(({ ignoredParameters }) => isParameterIgnored(name, ignoredParameters))
  }

  /** Returns the page that `page` merges into, or `page` itself if it has no ignored parameter. */
  #findTarget(url: URL, page: string): string {
    const cleanedUrl = removeIgnoredParameters(url, this.#excludeParams)
    if (cleanedUrl === url) return page
    // Keeps the fragment, because a stored page has one only if the website counts fragments.
    return formatPage(cleanedUrl, true)
  }

  #merge(target: string, page: string, views: number): void {
    const mergedPage = this.#mergedPages.getOrInsertComputed(target, () => ({
      value: target,
      count: 0,
      pages: 0,
      merged: [],
    }))
    mergedPage.count += views
    mergedPage.pages++
    if (mergedPage.merged.length < MAX_NAMED_PAGES) mergedPage.merged.push(page)
  }
}

function addUsage(usage: UsageTotals, views: number): void {
  usage.pages++
  usage.views += views
}

/** Escapes characters that a line cannot contain or that have a special meaning in it. */
function escapeForLine(name: string): string {
  return name.replace(/[\s\p{Cc}&=#?*%+]/gu, (character) => (character === '*' ? '%2A' : encodeURIComponent(character)))
}

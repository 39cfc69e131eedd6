/** Limits the work of drawing an SVG file. A small file can refer to its own parts so often that a browser hangs. */
import { type CssRule, listLocalUrls } from './css.ts'

export interface SvgElement {
  name: string
  attributes: Map<string, string>
  children: (SvgElement | string)[]
}

/** How many elements a browser may have to draw, including the repeated ones. */
export const MAX_DRAWN_ELEMENTS = 20_000
/** The maximum length of a chain in which each part refers to the next one. */
const MAX_CHAIN_LENGTH = 200
/** How many selectors of style sheets can refer to elements. */
const MAX_REFERRING_SELECTORS = 500
/** Each selector that refers to an element is compared to all elements. This many comparisons take 10 ms. */
const MAX_COMPARISONS = 200_000

/** Returns what is wrong, or undefined. */
export function findReferenceError(
  root: SvgElement,
  rules: readonly CssRule[],
  elementCount: number,
): string | undefined {
  const selectors = rules.flatMap(toReferringSelectors)
  if (selectors.length > MAX_REFERRING_SELECTORS) {
    return `must have at most ${MAX_REFERRING_SELECTORS} selectors with url() in its style sheets`
  }
  if (selectors.length * elementCount > MAX_COMPARISONS) {
    return 'is too complex: it has too many elements for the number of selectors with url() in its style sheets'
  }
  const cost = new DrawingCost(root, selectors).ofElement(root, 1)
  if (cost <= MAX_DRAWN_ELEMENTS) return undefined
  return 'is too complex: its parts refer to themselves or are repeated too often'
}

/** The last part of a selector: the element that the rule applies to, without its ancestors. */
interface ReferringSelector {
  name: string | undefined
  ids: string[]
  classes: string[]
  /** The ids of the elements that the rule refers to. */
  references: string[]
}

function toReferringSelectors({ selector, declarations }: CssRule): ReferringSelector[] {
  const references = [...new Set(listLocalUrls(declarations))]
  if (references.length === 0) return []
  return selector.split(',').map((part) => {
    const last =
      part
        .trim()
        .split(/[\s>]+/)
        .at(-1) ?? ''
    const tokens: string[] = last.replace(/:.*$/s, '').match(/[.#]?[\p{L}\p{N}_-]+/gu) ?? []
    const listNames = (prefix: string) =>
      tokens.filter((token) => token.startsWith(prefix)).map((token) => token.slice(1))
    return {
      name: tokens.find((token) => /^[^.#]/.test(token)),
      ids: listNames('#'),
      classes: listNames('.'),
      references,
    }
  })
}

/** Counts the elements that have to be drawn for an element: itself, its children, and those that it refers to. */
class DrawingCost {
  readonly #selectors: readonly ReferringSelector[]
  readonly #elementsById = new Map<string, SvgElement>()
  readonly #costs = new Map<SvgElement, number>()
  #referenceCount = 0

  constructor(root: SvgElement, selectors: readonly ReferringSelector[]) {
    this.#selectors = selectors
    this.#collectIds(root)
  }

  #collectIds(element: SvgElement): void {
    const id = element.attributes.get('id')
    if (id !== undefined && !this.#elementsById.has(id)) this.#elementsById.set(id, element)
    for (const child of listChildElements(element)) this.#collectIds(child)
  }

  /** Returns Infinity if the element refers to itself, or if the references exceed a limit. */
  ofElement(element: SvgElement, chainLength: number): number {
    // A gradient counts as one element, because its children are color stops, which are not drawn themselves.
    if (element.name.endsWith('Gradient')) return 1
    const computedCost = this.#costs.get(element)
    if (computedCost !== undefined) return computedCost
    this.#costs.set(element, Number.POSITIVE_INFINITY)
    const references = this.#listReferences(element)
    this.#referenceCount += references.length
    if (chainLength > MAX_CHAIN_LENGTH || this.#referenceCount > MAX_DRAWN_ELEMENTS) return Number.POSITIVE_INFINITY
    const parts = [...references.flatMap((id) => this.#elementsById.get(id) ?? []), ...listChildElements(element)]
    const cost = parts.reduce((sum, part) => sum + this.ofElement(part, chainLength + 1), 1)
    this.#costs.set(element, cost)
    return cost
  }

  #listReferences({ name, attributes }: SvgElement): string[] {
    const id = attributes.get('id')
    const classes = new Set((attributes.get('class') ?? '').split(/\s+/))
    const matchingSelectors = this.#selectors.filter(
      (selector) =>
        (selector.name === undefined || selector.name === name) &&
        selector.ids.every((selectorId) => selectorId === id) &&
        selector.classes.every((selectorClass) => classes.has(selectorClass)),
    )
    const href = attributes.get('href')
    return [
      ...[...attributes.values()].flatMap(listLocalUrls),
      ...(href === undefined ? [] : [href.slice(1)]),
      ...matchingSelectors.flatMap(({ references }) => references),
    ]
  }
}

function listChildElements({ children }: SvgElement): SvgElement[] {
  return children.filter((child) => typeof child !== 'string')
}

/**
 * Rebuilds an SVG file from the elements that a picture needs, for three reasons:
 *
 * - A file can refer to its own parts so often that a browser hangs, even if <img> shows the file: 1 kB kept Chromium busy for more
 *   than 15 s. `svg-references.ts` limits that. Animations and unusual CSS could add references that it doesn't see.
 * - Drawing programs store names of people, files and folders in SVG files.
 * - The headers of the response keep scripts from running, but a proxy may remove headers.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes'
import type { ParseResult } from '../../lib/field-parser.ts'
import { escapeHtml, toVisibleLine } from '../../lib/text.ts'
import { type CssRule, cleanDeclarations, cleanStyleSheet, isHarmlessValue, isValidId } from './css.ts'
import { findReferenceError, type SvgElement } from './svg-references.ts'

const SVG_NAMESPACE = 'http://www.w3.org/2000/svg'
const XLINK_NAMESPACE = 'http://www.w3.org/1999/xlink'

const shapes = ['path', 'rect', 'circle', 'ellipse', 'line', 'polyline', 'polygon', 'text', 'use']
/** Text in other elements is not visible, so it is removed. */
const textElements = ['text', 'tspan', 'title', 'desc']
/**
 * The elements that draw a picture. Elements that run scripts, animate, link or load something are left out, such as
 * script, foreignObject, image, a, animate and set.
 */
const allowedElements: ReadonlySet<string> = new Set([
  ...[...shapes, ...textElements, 'linearGradient', 'radialGradient', 'stop'],
  ...['svg', 'g', 'defs', 'symbol', 'switch', 'clipPath', 'mask', 'pattern', 'marker', 'style'],
  ...['filter', 'feBlend', 'feColorMatrix', 'feComposite', 'feDropShadow', 'feFlood', 'feGaussianBlur', 'feMerge'],
  ...['feMergeNode', 'feOffset'],
])
/** Attributes that run scripts, and those in which drawing programs store notes. */
const removedAttributePattern = /^(?:on|data-)/i

const MAX_DEPTH = 50
const MAX_ELEMENTS = 5_000
/** The limit for all style elements together. Drawing programs write far fewer rules. */
const MAX_RULES = 1_000
/** The limit for each element. */
const MAX_ATTRIBUTES = 200
const MAX_CLASS_LENGTH = 1_000
const MAX_REASON_LENGTH = 200

/** A file with thousands of elements takes 50 ms, so the parser pauses after this time, and other requests get their turn. */
const MAX_BLOCKING_MS = 5
const CHUNK_LENGTH = 4_096

/** The handlers of the parser throw this error. The user reads its message after the name of the field. */
class SvgError extends Error {}

export async function cleanSvg(file: Buffer): Promise<ParseResult<Buffer>> {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(file)
  } catch {
    return { errors: ['must be an SVG image in UTF-8'] }
  }
  try {
    return { value: Buffer.from(await rebuild(text)) }
  } catch (error) {
    if (error instanceof SvgError) return { errors: [error.message] }
    // Errors of the parser begin with the line and column.
    const reason = toVisibleLine((error as Error).message, MAX_REASON_LENGTH).replace(/\.$/, '')
    return { errors: [`is not a valid SVG image: line ${reason}`] }
  }
}

async function rebuild(text: string): Promise<string> {
  const { root, elements, rules } = await parse(text)
  if (root?.name !== 'svg') throw new SvgError(`must begin with an svg element of the namespace ${SVG_NAMESPACE}`)
  if (!elements.some(({ name }) => shapes.includes(name))) {
    throw new SvgError('has no shapes. If it contains a photo, upload that as PNG')
  }
  await yieldToEventLoop()
  const referenceError = findReferenceError(root, rules, elements.length)
  if (referenceError !== undefined) throw new SvgError(referenceError)
  await yieldToEventLoop()
  root.attributes.set('xmlns', SVG_NAMESPACE)
  return write(root)
}

interface ParsedSvg {
  root: SvgElement | undefined
  elements: SvgElement[]
  /** The rules of all style elements. */
  rules: CssRule[]
}

async function parse(text: string): Promise<ParsedSvg> {
  const parser = new SaxesParser({ xmlns: true, position: true })
  const parsedSvg: ParsedSvg = { root: undefined, elements: [], rules: [] }
  /** The open elements. undefined: the element is left out, and everything in it. */
  const openElements: (SvgElement | undefined)[] = []
  let [elementCount, attributeCount, ruleCount] = [0, 0, 0]

  const addText = (characters: string) => {
    const element = openElements.at(-1)
    if (element !== undefined && (textElements.includes(element.name) || element.name === 'style')) {
      element.children.push(characters)
    }
  }
  parser.on('doctype', (doctype) => {
    if (doctype.includes('[')) throw new SvgError('must not declare entities. Save it without a DTD')
  })
  parser.on('attribute', () => {
    if (++attributeCount > MAX_ATTRIBUTES)
      throw new SvgError(`must have at most ${MAX_ATTRIBUTES} attributes in an element`)
  })
  parser.on('opentag', (tag) => {
    attributeCount = 0
    if (++elementCount > MAX_ELEMENTS) throw new SvgError(`must have at most ${MAX_ELEMENTS} elements`)
    if (openElements.length >= MAX_DEPTH) throw new SvgError(`must be nested at most ${MAX_DEPTH} levels deep`)
    const parent = openElements.at(-1)
    const isKept =
      tag.uri === SVG_NAMESPACE && allowedElements.has(tag.local) && (openElements.length === 0 || parent !== undefined)
    const element = isKept ? { name: tag.local, attributes: cleanAttributes(tag), children: [] } : undefined
    openElements.push(element)
    if (element === undefined) return
    parsedSvg.elements.push(element)
    if (parent === undefined) parsedSvg.root = element
    else parent.children.push(element)
  })
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => {
    const element = openElements.pop()
    if (element?.name !== 'style') return
    const css = element.children.filter((child) => typeof child === 'string').join('')
    ruleCount += css.split('{').length - 1
    if (ruleCount > MAX_RULES) throw new SvgError(`must have at most ${MAX_RULES} rules in its style sheets`)
    const rules = cleanStyleSheet(css)
    parsedSvg.rules.push(...rules)
    element.children = rules.map(({ selector, declarations }) => `${selector}{${declarations}}`)
  })
  let blockedSince = performance.now()
  for (let start = 0; start < text.length; start += CHUNK_LENGTH) {
    parser.write(text.slice(start, start + CHUNK_LENGTH))
    if (performance.now() - blockedSince < MAX_BLOCKING_MS) continue
    await yieldToEventLoop()
    blockedSince = performance.now()
  }
  parser.close()
  return parsedSvg
}

function cleanAttributes({ attributes }: SaxesTagNS): Map<string, string> {
  return new Map(Object.values(attributes).flatMap((attribute) => cleanAttribute(attribute) ?? []))
}

/**
 * Returns the attribute in a list, because `flatMap` in `cleanAttributes` removes one level. undefined: the attribute
 * is left out.
 */
function cleanAttribute({ uri, local, value: text }: SaxesAttributeNS): [[string, string]] | undefined {
  const value = text.trim()
  if (local === 'href' && (uri === '' || uri === XLINK_NAMESPACE)) {
    return value.startsWith('#') && isValidId(value.slice(1)) ? [['href', value]] : undefined
  }
  if (uri !== '') return undefined
  if (local === 'style') {
    const declarations = cleanDeclarations(value)
    return declarations === '' ? undefined : [['style', declarations]]
  }
  if (local === 'id') return isValidId(value) ? [['id', value]] : undefined
  if (local === 'class' && value.length > MAX_CLASS_LENGTH) return undefined
  if (local === 'class') return value.split(/\s+/).every(isValidId) ? [['class', value]] : undefined
  return !removedAttributePattern.test(local) && isHarmlessValue(value) ? [[local, value]] : undefined
}

function write({ name, attributes, children }: SvgElement): string {
  const start = [name, ...[...attributes].map(([attribute, value]) => `${attribute}="${escapeHtml(value)}"`)].join(' ')
  if (children.length === 0) return `<${start}/>`
  const content = children.map((child) => (typeof child === 'string' ? escapeHtml(child) : write(child))).join('')
  return `<${start}>${content}</${name}>`
}

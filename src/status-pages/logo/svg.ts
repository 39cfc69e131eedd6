/** Rebuilds an SVG file from the elements and attributes that a picture needs. Everything else is left out. */
import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes'
import type { ParseResult } from '../../lib/field-parser.ts'
import { escapeHtml, toVisibleLine } from '../../lib/text.ts'
import { type CssRule, cleanDeclarations, cleanStyleSheet, isHarmlessValue, isValidId } from './css.ts'
import { allowedAttributes, allowedElements, shapeElements, textElements } from './svg-names.ts'
import { findReferenceError, type SvgElement } from './svg-references.ts'

const SVG_NAMESPACE = 'http://www.w3.org/2000/svg'
const XLINK_NAMESPACE = 'http://www.w3.org/1999/xlink'

const MAX_DEPTH = 50
const MAX_ELEMENTS = 5_000
const MAX_REASON_LENGTH = 200

/** Thrown by the handlers of the parser. The message continues after the name of the field. */
class SvgError extends Error {}

export function cleanSvg(file: Buffer): ParseResult<Buffer> {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(file)
  } catch {
    return { errors: ['must be an SVG image in UTF-8'] }
  }
  try {
    return { value: Buffer.from(rebuild(text)) }
  } catch (error) {
    if (error instanceof SvgError) return { errors: [error.message] }
    // The parser throws its errors itself. The message begins with the line and column.
    const reason = toVisibleLine((error as Error).message, MAX_REASON_LENGTH).replace(/\.$/, '')
    return { errors: [`is not a valid SVG image: line ${reason}`] }
  }
}

function rebuild(text: string): string {
  const { root, elements, rules } = parse(text)
  if (root?.name !== 'svg') throw new SvgError(`must begin with an svg element of the namespace ${SVG_NAMESPACE}`)
  if (!elements.some(({ name }) => shapeElements.has(name))) {
    throw new SvgError('has no shapes. If it contains a photo, upload that as PNG')
  }
  const referenceError = findReferenceError(root, rules)
  if (referenceError !== undefined) throw new SvgError(referenceError)
  root.attributes.set('xmlns', SVG_NAMESPACE)
  return write(root)
}

interface ParsedSvg {
  root: SvgElement | undefined
  elements: SvgElement[]
  /** The rules of all style elements. */
  rules: CssRule[]
}

function parse(text: string): ParsedSvg {
  const parser = new SaxesParser({ xmlns: true, position: true })
  const parsed: ParsedSvg = { root: undefined, elements: [], rules: [] }
  /** The open elements. undefined: the element is left out, and everything in it. */
  const open: (SvgElement | undefined)[] = []
  let elementCount = 0

  const addText = (characters: string) => {
    const element = open.at(-1)
    if (element !== undefined && (textElements.has(element.name) || element.name === 'style')) {
      element.children.push(characters)
    }
  }
  parser.on('doctype', (doctype) => {
    if (doctype.includes('[')) throw new SvgError('must not declare entities. Save it without a DTD')
  })
  parser.on('opentag', (tag) => {
    if (++elementCount > MAX_ELEMENTS) throw new SvgError(`must have at most ${MAX_ELEMENTS} elements`)
    if (open.length >= MAX_DEPTH) throw new SvgError(`must be nested at most ${MAX_DEPTH} levels deep`)
    const parent = open.at(-1)
    const isKept =
      tag.uri === SVG_NAMESPACE && allowedElements.has(tag.local) && (open.length === 0 || parent !== undefined)
    const element = isKept ? { name: tag.local, attributes: cleanAttributes(tag), children: [] } : undefined
    open.push(element)
    if (element === undefined) return
    parsed.elements.push(element)
    if (parent === undefined) parsed.root = element
    else parent.children.push(element)
  })
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => {
    const element = open.pop()
    if (element?.name !== 'style') return
    const rules = cleanStyleSheet(element.children.filter((child) => typeof child === 'string').join(''))
    parsed.rules.push(...rules)
    element.children = rules.map(({ selector, declarations }) => `${selector}{${declarations}}`)
  })
  parser.write(text).close()
  return parsed
}

function cleanAttributes({ attributes }: SaxesTagNS): Map<string, string> {
  return new Map(Object.values(attributes).flatMap((attribute) => cleanAttribute(attribute) ?? []))
}

/** Returns the attribute in a list, because `flatMap` removes one level. undefined: the attribute is left out. */
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
  if (local === 'class') return value.split(/\s+/).every(isValidId) ? [['class', value]] : undefined
  return allowedAttributes.has(local) && isHarmlessValue(value) ? [[local, value]] : undefined
}

function write({ name, attributes, children }: SvgElement): string {
  const start = [name, ...[...attributes].map(([attribute, value]) => `${attribute}="${escapeHtml(value)}"`)].join(' ')
  if (children.length === 0) return `<${start}/>`
  const content = children.map((child) => (typeof child === 'string' ? escapeHtml(child) : write(child))).join('')
  return `<${start}>${content}</${name}>`
}

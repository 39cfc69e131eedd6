/**
 * Reads the elements of an HTML page. Elements in comments, `<noscript>` and `<template>` are left out, as in a browser that
 * runs scripts. It is our own, because its callers need only start tags, and a parser would build a tree of pages that
 * strangers write. It takes time proportional to the length of the page, so nobody can make a page that takes long to read.
 */

export interface HtmlElement {
  /** In lower case. */
  name: string
  /** Names are in lower case. If an attribute is repeated, the first one counts. */
  attributes: ReadonlyMap<string, string>
  /** The content of a script or another element that contains only text. Empty for all other elements. */
  text: string
}

export interface HtmlContent {
  elements: HtmlElement[]
  comments: string[]
}

/** Browsers don't look for elements inside of these. */
const textElements = new Set(['script', 'style', 'textarea', 'title', 'noscript', 'template', 'iframe'])

const tagNamePattern = /<([a-z][^\s/>]*)/iy
const attributePattern = /[\s/]*([^\s/>=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?/y
const tagEndPattern = /[\s/=]*>/y

export function readHtml(html: string): HtmlContent {
  const content: HtmlContent = { elements: [], comments: [] }
  let position = html.indexOf('<')
  while (position !== -1) {
    position = html.startsWith('<!--', position)
      ? readComment(html, position, content.comments)
      : readElement(html, position, content.elements)
    position = html.indexOf('<', position)
  }
  return content
}

/** Returns the position after the comment. Without an end, the rest of the page is a comment. */
function readComment(html: string, start: number, comments: string[]): number {
  const end = html.indexOf('-->', start + 4)
  comments.push(html.slice(start + 4, end === -1 ? undefined : end))
  return end === -1 ? html.length : end + 3
}

/** Returns the position after the start tag, or after the text of an element that contains only text. */
function readElement(html: string, start: number, elements: HtmlElement[]): number {
  const name = matchAt(tagNamePattern, html, start)?.[1]?.toLowerCase()
  if (name === undefined) return start + 1
  const { attributes, end } = readAttributes(html, start + 1 + name.length)
  if (end === undefined) return html.length
  if (!textElements.has(name)) {
    elements.push({ name, attributes, text: '' })
    return end
  }
  const endTag = new RegExp(`</${name}`, 'gi')
  endTag.lastIndex = end
  const textEnd = endTag.exec(html)?.index ?? html.length
  elements.push({ name, attributes, text: html.slice(end, textEnd) })
  return textEnd
}

/** `end` is the position after the `>`, or undefined if the tag has no end. */
function readAttributes(html: string, start: number): { attributes: Map<string, string>; end: number | undefined } {
  const attributes = new Map<string, string>()
  let position = start
  while (true) {
    const tagEnd = matchAt(tagEndPattern, html, position)
    if (tagEnd !== null) return { attributes, end: position + tagEnd[0].length }
    const match = matchAt(attributePattern, html, position)
    if (match === null) {
      // Only a misplaced `=` is neither the end nor an attribute.
      if (!html.startsWith('=', position)) return { attributes, end: undefined }
      position += 1
      continue
    }
    const [text, name = '', double, single, bare] = match
    const key = name.toLowerCase()
    if (!attributes.has(key)) attributes.set(key, decodeEntities(double ?? single ?? bare ?? '').trim())
    position += text.length
  }
}

function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position
  return pattern.exec(text)
}

const entities: Readonly<Record<string, string>> = { '&amp;': '&', '&quot;': '"', '&#39;': "'", '&#x27;': "'" }

/** URLs and policies in attributes hardly ever contain other entities. */
const decodeEntities = (text: string) =>
  text.replace(/&(?:amp|quot|#39|#x27);/gi, (entity) => entities[entity.toLowerCase()] ?? entity)

/** Turns the Markdown of posts into HTML that is safe on a public page: no HTML of the author, no images, no styles. */
import { createRequire } from 'node:module'
import type { MarkdownIt, Token } from 'markdown-it'
import { BoundedMap } from '../../lib/bounded-map.ts'
import { escapeHtml } from '../../lib/text.ts'

/** Deeper lists and quotes are shown as plain text, so that no text can take long to parse. */
const MAX_NESTING = 20
/** The title of a post is an h3. */
const TOP_HEADING_LEVEL = 4
const MAX_HEADING_LEVEL = 6
/** A page is rendered again whenever one of its monitors changes, but its posts rarely change. */
const MAX_CACHED_TEXTS = 500

const allowedLink = /^(?:https?:\/\/|mailto:)/i

let parser: MarkdownIt | undefined
const htmlByText = new BoundedMap<string, string>(MAX_CACHED_TEXTS)

export function renderMarkdown(text: string): string {
  let html = htmlByText.get(text)
  if (html === undefined) {
    html = getMarkdownParser().render(text)
    htmlByText.set(text, html)
  }
  return html
}

/** Loads markdown-it at the first call, because most servers have no posts. */
export function getMarkdownParser(): MarkdownIt {
  parser ??= createParser(createRequire(import.meta.url)('markdown-it'))
  return parser
}

function createParser(createMarkdownIt: (options: object) => MarkdownIt): MarkdownIt {
  const markdown = createMarkdownIt({ html: false, linkify: true, breaks: true, maxNesting: MAX_NESTING })
  // Only complete URLs become links, so that no file name such as README.md does.
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false })
  markdown.validateLink = (url) => allowedLink.test(url.trim())
  const { rules } = markdown.renderer
  const renderTag = (tokens: Token[], index: number) => markdown.renderer.renderToken(tokens, index, markdown.options)
  rules['image'] = (tokens, index, options, env) =>
    escapeHtml(markdown.renderer.renderInlineAsText(tokens[index]?.children ?? [], options, env))
  rules['link_open'] = (tokens, index) => {
    tokens[index]?.attrSet('rel', 'nofollow noopener noreferrer')
    return renderTag(tokens, index)
  }
  rules['heading_open'] = rules['heading_close'] = (tokens, index) => {
    const token = tokens[index]
    if (token?.tag.length === 2) token.tag = `h${toShownLevel(Number(token.tag.slice(1)))}`
    return renderTag(tokens, index)
  }
  // markdown-it aligns cells with style attributes, which the page's Content-Security-Policy blocks.
  rules['th_open'] = rules['td_open'] = (tokens, index) => `<${tokens[index]?.tag}>`
  // The name of a language would become a class of the author's choice.
  rules['fence'] = (tokens, index) => `<pre><code>${escapeHtml(tokens[index]?.content ?? '')}</code></pre>\n`
  return markdown
}

const toShownLevel = (level: number) => Math.min(MAX_HEADING_LEVEL, level + TOP_HEADING_LEVEL - 1)

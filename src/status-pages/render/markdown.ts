/** Turns the Markdown of posts into HTML that is safe on a public page: no HTML of the author, no images, no styles. */
import type { MarkdownIt, Token } from 'markdown-it'
import { BoundedMap } from '../../lib/bounded-map.ts'
import { requireSeparateModule } from '../../lib/separate-module.ts'
import { escapeHtml } from '../../lib/text.ts'
import {
  isAllowedMarkdownLink,
  MARKDOWN_LINK_REL,
  markdownLinkOptions,
  markdownOptions,
  toMarkdownHeading,
} from '../../shared/markdown.ts'

/** A page is rendered again whenever one of its monitors changes, but its posts rarely change. */
const MAX_CACHED_TEXTS = 500

type MarkdownLibrary = typeof import('./markdown-library.ts')

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
  parser ??= createParser(requireSeparateModule<MarkdownLibrary>('markdown-library', import.meta.url))
  return parser
}

function createParser({ createMarkdownIt }: MarkdownLibrary): MarkdownIt {
  const markdown = createMarkdownIt(markdownOptions)
  markdown.linkify.set(markdownLinkOptions)
  markdown.validateLink = isAllowedMarkdownLink
  const { rules } = markdown.renderer
  const renderTag = (tokens: Token[], index: number) => markdown.renderer.renderToken(tokens, index, markdown.options)
  rules['image'] = (tokens, index, options, env) =>
    escapeHtml(markdown.renderer.renderInlineAsText(tokens[index]?.children ?? [], options, env))
  rules['link_open'] = (tokens, index) => {
    tokens[index]?.attrSet('rel', MARKDOWN_LINK_REL)
    return renderTag(tokens, index)
  }
  rules['heading_open'] = rules['heading_close'] = (tokens, index) => {
    const token = tokens[index]
    if (token?.tag.length === 2) token.tag = toMarkdownHeading(Number(token.tag.slice(1)))
    return renderTag(tokens, index)
  }
  // markdown-it aligns cells with style attributes, which the page's Content-Security-Policy blocks.
  rules['th_open'] = rules['td_open'] = (tokens, index) => `<${tokens[index]?.tag}>`
  // The name of a language would become a class of the author's choice.
  rules['fence'] = (tokens, index) => `<pre><code>${escapeHtml(tokens[index]?.content ?? '')}</code></pre>\n`
  return markdown
}

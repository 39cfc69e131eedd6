/** Turns the Markdown of posts into HTML that is safe on a public page: no HTML of the author, no images, no styles. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
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
import type { SnapshotPost } from '../snapshot.ts'

/**
 * A page is rendered again whenever one of its monitors changes, but its posts rarely change. The cache has room for several pages with
 * many posts.
 */
const MAX_CACHED_TEXTS = 1_000
/**
 * Another page that is prepared at the same time may push texts of this page out of the cache. They are then rendered
 * again, but only this many times.
 */
const MAX_PREPARATIONS = 3

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

/**
 * Renders the texts of posts before the page is rendered, one at a time, so that other requests get their turn in
 * between. A text of 10,000 characters takes up to 20 ms, and a page can show 500 of them. `spend` can measure how long
 * each takes.
 */
export async function prepareMarkdown(
  posts: readonly SnapshotPost[],
  spend = (render: () => string) => render(),
): Promise<void> {
  const texts = posts.flatMap(({ updates }) => updates.map(({ body }) => body))
  for (let n = 0; n < MAX_PREPARATIONS; n++) {
    const missingTexts = texts.filter((text) => htmlByText.get(text) === undefined)
    if (missingTexts.length === 0) return
    for (const text of missingTexts) {
      spend(() => renderMarkdown(text))
      await yieldToEventLoop()
    }
  }
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
  // markdown-it would turn the name of a language into a class of the author's choice.
  rules['fence'] = (tokens, index) => `<pre><code>${escapeHtml(tokens[index]?.content ?? '')}</code></pre>\n`
  return markdown
}

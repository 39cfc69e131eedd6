/**
 * Turns the Markdown of posts into elements, as the status page turns it into HTML. Building elements rather than parsing HTML
 * satisfies the Content-Security-Policy of the application. markdown-it is large, so only lazily loaded components import this.
 */
import createMarkdownIt, { type Token } from 'markdown-it'
import { type ComponentChildren, h } from 'preact'
import {
  isAllowedMarkdownLink,
  MARKDOWN_LINK_REL,
  markdownLinkOptions,
  markdownOptions,
  toMarkdownHeading,
} from '../../src/shared/markdown.ts'
import { lazily } from './lazily.ts'

const getParser = lazily(() => {
  const parser = createMarkdownIt(markdownOptions)
  parser.linkify.set(markdownLinkOptions)
  parser.validateLink = isAllowedMarkdownLink
  return parser
})

export const renderMarkdownElements = (text: string): ComponentChildren => build(getParser().parse(text, {}))

interface OpenElement {
  token: Token
  children: ComponentChildren[]
}

/** Tokens are a flat list, in which an opening token and a closing one enclose the content of an element. */
function build(tokens: readonly Token[]): ComponentChildren[] {
  const root: ComponentChildren[] = []
  const open: OpenElement[] = []
  const append = (child: ComponentChildren) => (open.at(-1)?.children ?? root).push(child)
  for (const token of tokens) {
    // markdown-it hides the paragraphs of a tight list, whose items have no space between them.
    if (token.hidden) continue
    if (token.nesting === 1) open.push({ token, children: [] })
    else if (token.nesting === -1) {
      const element = open.pop()
      if (element !== undefined) append(h(toTag(element.token), toAttributes(element.token), ...element.children))
    } else append(buildLeaf(token))
  }
  return root
}

function buildLeaf(token: Token): ComponentChildren {
  switch (token.type) {
    case 'inline':
      return build(token.children ?? [])
    case 'code_inline':
      return h('code', null, token.content)
    case 'code_block':
    case 'fence':
      return h('pre', null, h('code', null, token.content))
    case 'hardbreak':
    case 'softbreak':
      return h('br', null)
    case 'hr':
      return h('hr', null)
    // Images are not shown, only their alternative texts.
    case 'image':
      return getParser().renderer.renderInlineAsText(token.children ?? [], getParser().options, {})
    default:
      return token.content
  }
}

const toTag = ({ type, tag }: Token) => (type === 'heading_open' ? toMarkdownHeading(Number(tag.slice(1))) : tag)

/** markdown-it also aligns the cells of tables with a style, which the status page leaves out. */
function toAttributes(token: Token): object | null {
  const attributes = Object.fromEntries(token.attrs ?? [])
  if (token.type === 'link_open') return { ...attributes, rel: MARKDOWN_LINK_REL, target: '_blank' }
  return token.type === 'ordered_list_open' ? attributes : null
}

/** Turns the Markdown of posts into plain text for emails. */
import type { Token } from 'markdown-it'
import { getMarkdownParser } from './markdown.ts'

/** Paragraphs are separated by empty lines, list items begin with a hyphen or number, and URLs follow the text of links. */
export function renderPlainText(text: string): string {
  const blocks: string[] = []
  const lists: { nextNumber: number | undefined }[] = []
  let marker = ''
  const addBlock = (content: string) => {
    const indent = '  '.repeat(Math.max(0, lists.length - 1))
    const prefix = `${indent}${marker}`
    blocks.push(`${prefix}${content.replaceAll('\n', `\n${' '.repeat(prefix.length)}`)}`)
    marker = ' '.repeat(marker.length)
  }
  for (const token of getMarkdownParser().parse(text, {})) {
    if (token.type === 'bullet_list_open') lists.push({ nextNumber: undefined })
    else if (token.type === 'ordered_list_open') lists.push({ nextNumber: Number(token.attrGet('start') ?? 1) })
    else if (token.type.endsWith('_list_close')) lists.pop()
    else if (token.type === 'list_item_open') marker = nextMarker(lists.at(-1))
    else if (token.type === 'list_item_close') marker = ''
    else if (token.type === 'inline') addBlock(joinInline(token.children ?? []))
    else if (token.type === 'fence' || token.type === 'code_block') addBlock(token.content.trimEnd())
  }
  return joinBlocks(blocks)
}

function nextMarker(list: { nextNumber: number | undefined } | undefined): string {
  if (list?.nextNumber === undefined) return '- '
  return `${list.nextNumber++}. `
}

const isListItem = (block: string) => /^ *(?:-|\d+\.) /.test(block)

/** The items of a list follow each other without empty lines. */
function joinBlocks(blocks: readonly string[]): string {
  return blocks
    .map((block, index) => {
      if (index === 0) return block
      return isListItem(block) && isListItem(blocks[index - 1] ?? '') ? `\n${block}` : `\n\n${block}`
    })
    .join('')
}

function joinInline(tokens: readonly Token[]): string {
  const parts: string[] = []
  const links: { url: string; start: number }[] = []
  for (const token of tokens) {
    if (token.type === 'softbreak' || token.type === 'hardbreak') parts.push('\n')
    else if (token.type === 'link_open') links.push({ url: String(token.attrGet('href') ?? ''), start: parts.length })
    else if (token.type === 'link_close') {
      const link = links.pop()
      const label = parts.slice(link?.start).join('')
      if (link !== undefined && label !== link.url) parts.push(` (${link.url})`)
    } else if (token.type === 'image') parts.push(joinInline(token.children ?? []))
    else parts.push(token.content)
  }
  return parts.join('')
}

import type { ComponentChildren, VNode } from 'preact'
import { describe, expect, it } from 'vitest'
import { renderMarkdown } from '../../src/status-pages/render/markdown.ts'
import { renderMarkdownElements } from './render-markdown-elements.ts'

const escapeText = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.codePointAt(0)};`)

/** Removes differences that don't matter: how entities are written, and line breaks between blocks. */
const normalize = (html: string) =>
  html
    .replace(/&(amp|lt|gt|quot);/g, (_, name: string) =>
      escapeText({ amp: '&', lt: '<', gt: '>', quot: '"' }[name] ?? ''),
    )
    .replace(/&#39;/g, "'")
    .replace(/<(br|hr)>\n?/g, '<$1>')
    .replace(/>\n+/g, '>')
    .replace(/\n+</g, '<')

function toHtml(children: ComponentChildren): string {
  if (Array.isArray(children)) return children.map(toHtml).join('')
  if (typeof children === 'string') return escapeText(children)
  const { type, props } = children as VNode<Record<string, unknown>>
  const { children: content, target: _, ...attributes } = props
  const attributeTexts = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapeText(String(value))}"`)
  const tag = `<${type}${attributeTexts.join('')}>`
  return type === 'br' || type === 'hr' ? tag : `${tag}${toHtml((content ?? []) as ComponentChildren)}</${type}>`
}

describe('the preview of Markdown', () => {
  it.each([
    'We are **looking** into *it*.\nMore soon: https://example.com/?a=1&b=2',
    '# Title\n\n## Part\n\n###### Small',
    '* one\n* two\n  1. nested\n  2. list\n\n7. seven\n\n   with a paragraph\n8. eight',
    '> quote\n> > deeper\n\n---\n\n`code <b>` and ~~old~~',
    '```js\nalert("<b>")\n```\n\n    indented & code',
    '| a | b |\n|:--|--:|\n| 1 | **2** |',
    '[a](https://example.com "Title") <mailto:ada@example.com> README.md',
    '[x](javascript:alert(1)) [y](data:text/html,x) [z](//evil.example) [w](/path)',
    '<script>alert(1)</script> <img src=x onerror=alert(1)> &lt;b&gt; &amp; "quoted" \'single\'',
    '![alt *text*](https://evil.example/x.png)',
    `${'> '.repeat(40)}deep`,
  ])('is the same as on the status page: %j', (text) => {
    expect(normalize(toHtml(renderMarkdownElements(text)))).toBe(normalize(renderMarkdown(text)))
  })
})

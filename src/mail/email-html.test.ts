import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { formatEmailHtml } from './email-html.ts'
import { formatBand, formatButtons } from './parts.ts'

const parts = {
  title: 'A <title>',
  preview: 'A & preview',
  category: 'Alert',
  bandHtml: formatBand('down', 'Down'),
  contentHtml: formatButtons([{ label: 'View', url: 'https://example.com/?a=1&b="2"' }]),
  footerHtml: 'Footer',
}
const html = formatEmailHtml(parts)

describe('the frame of an email', () => {
  it('supports dark mode, in Outlook on the web too', () => {
    expect(html).toContain('<meta name="color-scheme" content="light dark">')
    expect(html).toMatch(/<style>@media \(prefers-color-scheme:dark\)\{\.text-text\{/)
    expect(html).toMatch(/<style>\[data-ogsc\] \.text-text\{/)
    // Gmail drops a style element that is longer than 8,192 characters.
    for (const [, rules] of html.matchAll(/<style>(.*?)<\/style>/gs)) expect(rules?.length).toBeLessThan(8_192)
  })

  it('replaces every inline color in dark mode', () => {
    const [, darkRules = ''] = /@media \(prefers-color-scheme:dark\)\{(.*?)<\/style>/s.exec(html) ?? []
    const classes = [...html.matchAll(/class="([^"]*)"/g)].flatMap(([, names = '']) => names.split(' '))
    for (const name of classes) expect(darkRules).toContain(`.${name}{`)
    for (const [element] of html.matchAll(/<[a-z]+ [^>]*(?:color|border-top):[^>]*#[^>]*>/g)) {
      expect(element).toContain('class="')
    }
  })

  it('uses the colors of the pages', () => {
    const tokens = readFileSync('web/styles/tokens.css', 'utf8')
    const accent = /--accent: light-dark\((#\w+), (#\w+)\)/.exec(tokens)?.slice(1) ?? []
    expect(accent).toHaveLength(2)
    const accentHtml = formatEmailHtml({ ...parts, bandHtml: formatBand('accent', 'Test') })
    for (const color of accent) expect(accentHtml).toContain(color)
  })

  it('has a fixed width in Outlook, and escapes text', () => {
    expect(html).toContain('<!--[if mso]><table role="presentation" width="600"')
    expect(html).toContain('<title>A &lt;title&gt;</title>')
    expect(html).toContain('A &amp; preview')
    expect(html).toContain('href="https://example.com/?a=1&amp;b=&quot;2&quot;"')
  })
})

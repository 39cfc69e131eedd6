import { describe, expect, it } from 'vitest'
import { TurnMeter } from '../../../tests/support/turn-meter.ts'
import { MAX_POST_BODY_LENGTH } from '../../shared/status-pages.ts'
import { prepareMarkdown, renderMarkdown } from './markdown.ts'
import { renderPlainText } from './plain-text.ts'

const link = (url: string, label: string) => `<a href="${url}" rel="nofollow noopener noreferrer">${label}</a>`

describe('Markdown', () => {
  it('becomes paragraphs, lists, emphasis and code', () => {
    expect(renderMarkdown('**Paid** orders\nare *safe*:\n\n- `card`\n- invoice')).toBe(
      '<p><strong>Paid</strong> orders<br>\nare <em>safe</em>:</p>\n<ul>\n<li><code>card</code></li>\n<li>invoice</li>\n</ul>\n',
    )
  })

  it('has links to web pages and email addresses only, which search engines do not follow', () => {
    expect(renderMarkdown('[a](https://example.com) [b](mailto:a@example.com) http://example.com/c')).toBe(
      `<p>${link('https://example.com', 'a')} ${link('mailto:a@example.com', 'b')} ${link('http://example.com/c', 'http://example.com/c')}</p>\n`,
    )
  })

  it.each([
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](&#106;avascript:alert(1))',
    '[x](&#x6A;avascript&colon;alert(1))',
    '[x](java\\script:alert(1))',
    '[x](<java script:alert(1)>)',
    '[x](\u0001javascript:alert(1))',
    '[x](data:text/html;base64,PHNjcmlwdD4=)',
    '[x](vbscript:msgbox(1))',
    '[x](file:///etc/passwd)',
    '[x](//evil.example)',
    '[x](/status/other/unlock)',
    '[x][1]\n\n[1]: javascript:alert(1)',
    '<javascript:alert(1)>',
    '<data:text/html,x>',
  ])('makes no link of %s', (text) => {
    expect(renderMarkdown(text)).not.toContain('<a')
  })

  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<svg/onload=alert(1)>',
    '<!-- --><style>*{display:none}</style>',
    '&lt;script&gt;alert(1)&lt;/script&gt;',
    '[<img src=x onerror=alert(1)>](https://example.com)',
    '`<script>alert(1)</script>`',
    '```html\n<script>alert(1)</script>\n```',
    '[a](https://example.com "<script>")',
    '[a](https://example.com/"onmouseover="alert(1))',
  ])('shows HTML as text: %s', (text) => {
    const tags = renderMarkdown(text).match(/<[^>]*>/g) ?? []
    expect(tags.join('')).not.toMatch(/<\/?(?:script|style|img|svg)|\son\w+=/i)
  })

  it('shows images as their text, without a request to another server', () => {
    expect(renderMarkdown('![A *chart*](https://evil.example/x.png)')).toBe('<p>A chart</p>\n')
    expect(renderMarkdown('![<b>](https://evil.example/x.png)')).toBe('<p>&lt;b&gt;</p>\n')
  })

  it('puts headings below the headings of the page, and has neither classes nor styles of the author', () => {
    expect(renderMarkdown('# a\n\n### b\n\nc\n---')).toBe('<h4>a</h4>\n<h6>b</h6>\n<h5>c</h5>\n')
    expect(renderMarkdown('```banner\na\n```')).toBe('<pre><code>a\n</code></pre>\n')
    expect(renderMarkdown('|a|\n|:-:|\n|b|')).not.toContain('style')
  })

  const repeatToMaxLength = (text: string) => text.repeat(MAX_POST_BODY_LENGTH / text.length)
  it.each(['*a ', '**a *b', '_a __b', '[', '![', '[a](', '> ', '- ', '`a``b', '~~a', '<![CDATA[', 'http://', '&#'])(
    'of the maximum length takes a bounded time: %s repeated',
    (text) => {
      const startedAt = performance.now()
      const html = renderMarkdown(repeatToMaxLength(text))
      expect(performance.now() - startedAt).toBeLessThan(5_000)
      expect(html.length).toBeLessThan(20 * MAX_POST_BODY_LENGTH)
    },
  )

  it('has a bounded depth', () => {
    const html = renderMarkdown(Array.from({ length: 100 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n'))
    expect(html.match(/<ul>/g)?.length).toBeLessThanOrEqual(20)
  })
})

describe('the plain text of Markdown', () => {
  it('keeps paragraphs, lists and the addresses of links', () => {
    expect(
      renderPlainText(
        '# Update\n\nCards **fail**, see [the page](https://example.com/1) or https://example.com/2.\n\n1. Pay\n2. Wait\n   - an hour\n\nBye\n![A chart](https://example.com/x.png)\n\n```\ncode\n```',
      ),
    ).toBe(
      'Update\n\nCards fail, see the page (https://example.com/1) or https://example.com/2.\n\n1. Pay\n2. Wait\n  - an hour\n\nBye\nA chart\n\ncode',
    )
  })

  it('has no link that a page would not have', () => {
    expect(renderPlainText('[x](javascript:alert(1)) <b>')).toBe('[x](javascript:alert(1)) <b>')
  })
})

it('prepareMarkdown lets other requests have their turn while it renders the posts of a page', async () => {
  const row = '|a'.repeat(100)
  const updates = Array.from({ length: 20 }, (_, id) => {
    const body = `Table ${id}\n\n${row}\n${'|-'.repeat(100)}\n${`${row}\n`.repeat(40)}`
    return { id, state: 'monitoring' as const, body, createdAt: 0 }
  })
  const post = { id: 1, title: 'Outage', state: 'monitoring' as const, createdAt: 0, updatedAt: 0, resolvedAt: null }
  const meter = new TurnMeter()
  const before = process.threadCpuUsage()
  await prepareMarkdown([{ ...post, labels: [], updates }])
  const { user, system } = process.threadCpuUsage(before)
  const longestMs = meter.take()
  meter.stop()
  expect(longestMs).toBeLessThan((user + system) / 1_000 / 2)
})

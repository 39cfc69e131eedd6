import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createPageSnapshot } from '../../../tests/support/status-page-snapshots.ts'
import { toStatusPagePaths } from '../urls.ts'
import { statusPageHeaders } from './headers.ts'
import { renderStatusPage } from './html-page.ts'
import { renderNoticePage } from './notice-page.ts'

const hashesOf = (html: string, tag: 'style' | 'script') =>
  [...html.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, 'gs'))].map(
    ([, code = '']) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`,
  )
const policyOf = (accentColor: string | null, isPreview = false) =>
  statusPageHeaders({ accentColor }, { fontBase: '/status/', isPreview })['content-security-policy'] ?? ''

describe('the Content-Security-Policy', () => {
  it.each([null, '#0a7d4f'])(
    'allows exactly the styles and the script of the page, with accent color %s',
    (accentColor) => {
      const html = renderStatusPage(createPageSnapshot({ page: { accentColor } }), {
        paths: toStatusPagePaths('example', ''),
      })
      expect(policyOf(accentColor)).toContain(`script-src ${hashesOf(html, 'script').join(' ')};`)
      expect(policyOf(accentColor)).toContain(`style-src ${hashesOf(html, 'style').join(' ')};`)
      expect(hashesOf(html, 'style')).toHaveLength(accentColor === null ? 2 : 3)
    },
  )

  it('allows the styles of a notice, too', () => {
    const page = { title: 'Example', theme: 'dark', accentColor: '#0a7d4f', logoHash: null } as const
    const html = renderNoticePage({ page, fontBase: '/status/', title: 'Password', bodyHtml: '' })
    for (const hash of hashesOf(html, 'style')) expect(policyOf('#0a7d4f')).toContain(hash)
    expect(html).not.toContain('<script>')
  })

  it('allows the script of a page that asks for a password', () => {
    const fields = [{ kind: 'input', type: 'password', name: 'p', label: 'Password', autocomplete: 'off' }] as const
    const form = { action: '/unlock', fields, submitLabel: 'Open' }
    const html = renderNoticePage({ page: undefined, fontBase: '/', title: 'Password', bodyHtml: '', form })
    const headers = statusPageHeaders({ accentColor: null }, { fontBase: '/', hasPasswordField: true })
    expect(hashesOf(html, 'script')).toHaveLength(1)
    expect(headers['content-security-policy']).toContain(`script-src ${hashesOf(html, 'script')};`)
  })

  it('allows nothing else but fonts, images and requests of this server', () => {
    const others = policyOf(null).replace(/(script|style)-src [^;]*; /g, '')
    expect(others).toBe(
      "default-src 'none'; font-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    )
  })

  it('lets the editor show a preview in a frame, and does not let the form in it be sent', () => {
    expect(policyOf(null, true)).toContain("form-action 'none'; frame-ancestors 'self'")
  })
})

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { passwordScript, renderPasswordField } from '../lib/password-field.ts'
import { renderHtml } from './html-page.ts'

const html = renderHtml('A title', '<h1>A heading</h1>')

describe('a page that the server renders itself', () => {
  it('uses the colors of the application, and no others', () => {
    const readColors = (text: string) => new Set(text.match(/#[0-9a-f]{3,8}\b/gi))
    const tokens = readFileSync('web/styles/tokens.css', 'utf8')
    const style = [...html.matchAll(/<style>(.*?)<\/style>/gs)].at(-1)?.[1] ?? ''
    expect(readColors(style)).toEqual(readColors(tokens))
    expect(style).not.toContain('/*')
  })

  it('uses only CSS variables that exist', () => {
    const usedNames = [...html.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name)
    expect(usedNames.filter((name) => !html.includes(` ${name}:`))).toEqual([])
  })

  it('with a password field runs a script that its policy allows', () => {
    const form = renderHtml('Form', renderPasswordField('<input type="password">'))
    const [, code = ''] = /<script>(.*?)<\/script>/s.exec(form) ?? []
    expect(passwordScript.hash).toBe(`'sha256-${createHash('sha256').update(code).digest('base64')}'`)
  })

  it('has the typeface of the application without loading it', () => {
    expect(html).toContain('src:url(data:font/woff2;base64,')
  })

  it.each([
    ['/', './status/'],
    ['/sign-in?next=/a/b', './status/'],
    ['/monitors/1', '../status/'],
    ['/a/b/c', '../../status/'],
  ])('about an error at %s loads the typeface from %s, whatever the prefix of the public URL', (path, folder) => {
    const [, url] = /src:url\((.*?)\)/.exec(renderHtml('Error', '', { path })) ?? []
    expect(url).toMatch(/inter-latin-[0-9a-f]{10}\.woff2$/)
    expect(url?.startsWith(`${folder}inter`)).toBe(true)
  })

  it('loads nothing and runs no script', () => {
    expect(html).not.toMatch(/<script|@import|url\((?!data:)|https?:|(?:src|href)="(?!data:)/)
    expect(html).toContain('<main><h1>A heading</h1></main>')
  })
})

import { describe, expect, it } from 'vitest'
import { findIconLinks } from './icon-links.ts'
import { detectImageType } from './image-type.ts'

const page = 'https://example.com/blog/'
const findLinks = (html: string) => findIconLinks(html, page)

describe('the icons of a page', () => {
  it('are read from links in any spelling, with relative URLs', () => {
    expect(findLinks('<LINK REL="shortcut icon" HREF="/a.png">')).toEqual(['https://example.com/a.png'])
    expect(findLinks("<link href='b.png?v=1&amp;w=2' rel='icon'>")).toEqual(['https://example.com/blog/b.png?v=1&w=2'])
    expect(findLinks('<link rel=icon href=//cdn.example.net/c.ico />')).toEqual(['https://cdn.example.net/c.ico'])
    expect(findLinks('<link rel="apple-touch-icon" href="/touch.png">')).toEqual(['https://example.com/touch.png'])
  })

  it('are sorted: icons of a fitting size, then SVG, then icons of unknown size, then small icons', () => {
    const link = (attributes: string) => `<link rel="icon" ${attributes}>`
    const html = [
      link('href="/16.png" sizes="16x16"'),
      link('href="/unknown.ico"'),
      link('href="/vector" type="image/svg+xml"'),
      link('href="/192.png" sizes="192x192"'),
      link('href="/32.png" sizes="32x32"'),
      '<link rel="apple-touch-icon" href="/touch.png">',
    ].join('\n')
    const paths = findLinks(html).map((url) => new URL(url).pathname)
    expect(paths).toEqual(['/32.png', '/192.png', '/vector', '/touch.png', '/unknown.ico', '/16.png'])
  })

  it('are neither links of other kinds nor URLs with other protocols', () => {
    expect(findLinks('<link rel="stylesheet" href="/a.css"><a rel="icon" href="/b">')).toEqual([])
    expect(
      findLinks('<link rel="icon" href="data:image/png;base64,AA"><link rel="icon" href="file:///etc/passwd">'),
    ).toEqual([])
    expect(findLinks('<link rel="icon"><link rel="icon" href="https://[">')).toEqual([])
  })

  it('are found quickly in a hostile page', () => {
    const cpuUsageBefore = process.threadCpuUsage()
    for (const part of ['<link ', '<link rel=icon ', '<link a', '<link x= ', '<link a="', 'a'.repeat(900)]) {
      findLinks(`${part.repeat(Math.ceil(131_072 / part.length))}`)
    }
    expect(process.threadCpuUsage(cpuUsageBefore).user).toBeLessThan(1_000_000)
  })
})

describe('the format of an icon', () => {
  const detect = (text: string) => detectImageType(Buffer.from(text, 'latin1'))

  it('is recognized by its bytes', () => {
    expect(detect('\x89PNG\r\n\x1a\nrest')).toBe('image/png')
    expect(detect('\0\0\x01\0\x01\0')).toBe('image/x-icon')
    expect(detect('RIFF1234WEBPVP8 ')).toBe('image/webp')
    expect(detect('\xff\xd8\xff\xe0')).toBe('image/jpeg')
    expect(detect('<?xml version="1.0"?>\n<!-- made by hand -->\n<!DOCTYPE svg>\n<svg xmlns="">')).toBe('image/svg+xml')
  })

  it('is unknown for everything else', () => {
    expect(detect('<!doctype html><html><svg></svg>')).toBeUndefined()
    expect(detect('Not found')).toBeUndefined()
    expect(detect('')).toBeUndefined()
    expect(detect('<!-- never closed <svg>')).toBeUndefined()
  })

  it('is found quickly in a hostile file', () => {
    const cpuUsageBefore = process.threadCpuUsage()
    detect('<!---->'.repeat(9_000))
    detect('<!--'.repeat(16_000))
    expect(process.threadCpuUsage(cpuUsageBefore).user).toBeLessThan(1_000_000)
  })
})

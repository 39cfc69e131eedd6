import { SaxesParser } from 'saxes'
import { describe, expect, it } from 'vitest'
import { escapeXml } from './xml.ts'

function parseText(xml: string): string {
  let text = ''
  const parser = new SaxesParser()
  parser.on('text', (part) => {
    text += part
  })
  parser.on('error', (error) => {
    throw error
  })
  parser.write(xml).close()
  return text
}

describe('escapeXml', () => {
  it('keeps every character that XML allows', () => {
    const text = `<a href="x">&amp; 'quoted' ]]> Ω 日本 🎉 \u{10ffff}\n\t`
    expect(parseText(`<a>${escapeXml(text)}</a>`)).toBe(text)
  })

  it('replaces characters that XML forbids', () => {
    const text = 'a\u{0}b\u{1b}c\u{fffe}d\u{d800}e\u{dc00}f\u{b}'
    expect(parseText(`<a>${escapeXml(text)}</a>`)).toBe('a�b�c�d�e�f�')
  })
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { getPageStyle } from './assets.ts'

const root = join(import.meta.dirname, '..', '..', '..')

function readColors(file: string): Map<string, string> {
  const text = readFileSync(join(root, file), 'utf8').replace(/\s+/g, ' ')
  return new Map(
    [...text.matchAll(/(--[\w-]+): (light-dark\([^;]*|#\w+);/g)].map(([, name = '', value = '']) => [name, value]),
  )
}

describe('the styles of status pages', () => {
  it('have the colors of the application', () => {
    const appColors = readColors('web/styles/tokens.css')
    const sharedColors = [...readColors('status-page/styles/tokens.css')].filter(([name]) => appColors.has(name))
    expect(sharedColors.length).toBeGreaterThan(20)
    expect(sharedColors).toEqual(sharedColors.map(([name]) => [name, appColors.get(name)]))
  })

  it('differ between light and dark only in colors, and load nothing', () => {
    expect(getPageStyle().code).not.toMatch(/prefers-color-scheme|url\(|@import|@font-face/)
  })
})

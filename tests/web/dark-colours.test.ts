/**
 * The pages differ between light and dark only in colours, so accessibility tests check only colours in the dark theme.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..', 'web')
const readText = (file: string) => readFileSync(join(root, file), 'utf8')
const styleFiles = globSync('**/*.css', { cwd: root, exclude: ['dist/**'] })
const scriptFiles = globSync('**/*.{ts,tsx}', { cwd: root, exclude: ['dist/**'] })

describe('dark colours', () => {
  it.each(styleFiles)('are set in %s with light-dark(), not with a media query', (file) => {
    expect(readText(file)).not.toContain('prefers-color-scheme')
  })

  it('are not chosen by scripts', () => {
    expect(scriptFiles.filter((file) => readText(file).includes('prefers-color-scheme'))).toEqual([])
  })
})

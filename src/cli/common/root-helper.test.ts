import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { RootHelper } from './root-helper.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'belfry-root-helper-'))
  mkdirSync(join(folder, '.totals.part'))
  writeFileSync(join(folder, '.totals.part', 'pages'), 'new')
  writeFileSync(join(folder, 'other'), 'old')
})
afterEach(() => rmSync(folder, { recursive: true }))

describe.runIf(process.platform === 'linux')('the shell that keeps the rights of root', () => {
  it('renames files in the temporary folder', async () => {
    const helper = new RootHelper(folder, '.totals.part', 'totals')
    helper.rename('pages', 'pages_2026.csv')
    expect(await helper.finish('folder')).toBe('done')
    expect(readdirSync(join(folder, 'totals'))).toEqual(['pages_2026.csv'])
  })

  it.each([
    ['pages', '../other'],
    ['../other', 'pages'],
    ['pages', '.hidden'],
    ['..', 'pages'],
    ['pages', ''],
  ])('refuses to rename %j to %j', async (from, to) => {
    const helper = new RootHelper(folder, '.totals.part', 'totals')
    helper.rename(from, to)
    await expect(helper.finish('folder')).rejects.toThrow('unexpected name')
    expect(readdirSync(folder)).toEqual(['other'])
    expect(readFileSync(join(folder, 'other'), 'utf8')).toBe('old')
  })
})

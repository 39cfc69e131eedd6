import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { collectSettings } from '../../config/collect-settings.ts'
import { readConfig } from '../../config/config.ts'
import { describeTarget, type Endpoint } from './endpoints.ts'
import { formatNextSteps, formatSummary } from './report.ts'

const folder = mkdtempSync(join(tmpdir(), 'belfry-move-'))
afterAll(() => rmSync(folder, { recursive: true }))

const url = 'postgres://ada:s3cr3t@db.example.com/belfry'
const embedded: Endpoint = { ...describeTarget(url, readConfig({})), kind: 'embedded', name: 'the embedded database' }

/** Returns the steps for a configuration file with these lines. */
function formatSteps(to: string, lines: readonly string[], source = embedded): string {
  const configFile = join(folder, 'belfry.env')
  writeFileSync(configFile, lines.join('\n'), { mode: 0o600 })
  const settings = collectSettings({}, { configFile, workingFolder: folder })
  const config = readConfig({ BELFRY_DATA: folder, DATABASE_URL: url })
  const secretPlace = join(folder, 'secret')
  return formatNextSteps({ source, target: describeTarget(to, config), secretPlace }, { config, settings })
}

describe('the steps after a move', () => {
  it('name the line of the configuration file to change, and hide the password', () => {
    const steps = formatSteps(url, ['# Belfry', 'DATABASE_URL=postgres://old.example.com/belfry'])
    expect(steps).toContain(`1. Change DATABASE_URL in ${folder}/belfry.env, line 2, do the same`)
    expect(steps).toContain('DATABASE_URL=postgres://ada:<password>@db.example.com/belfry')
    expect(steps).not.toContain('s3cr3t')
  })

  it('name the configuration file if it does not contain the setting', () => {
    expect(formatSteps(url, ['PORT=4000'])).toContain(`1. Add DATABASE_URL to ${folder}/belfry.env, do the same`)
  })

  it('say which line to remove after a move to the embedded database', () => {
    const steps = formatSteps('embedded', [`DATABASE_URL=${url}`], describeTarget(url, readConfig({})))
    expect(steps).toContain(`1. Remove DATABASE_URL from ${folder}/belfry.env, line 1, and start one server`)
    expect(steps).toContain('When the new database works, drop the old one.')
  })

  it('say which files to keep, and that the old database must not be used', () => {
    const steps = formatSteps(url, [])
    expect(steps).toContain(`2. Keep the secret ${folder}/secret`)
    expect(steps).toContain("Don't start a server on it")
    expect(steps).toContain(`delete ${folder}/postgres, but not ${folder}/secret.`)
  })
})

describe('the summary of a move', () => {
  it('lists the tables with rows, and their sum', () => {
    const tables = [
      { name: 'users', rows: 2, bytes: 300 },
      { name: 'alerts', rows: 0, bytes: 0 },
      { name: 'events', rows: 1_200_000, bytes: 90_000_000 },
    ]
    expect(formatSummary(tables).split('\n').slice(0, 4)).toEqual([
      'TABLE     ROWS       COPIED',
      'users     2          300 B',
      'events    1,200,000  90.0 MB',
      '3 tables  1,200,002  90.0 MB',
    ])
  })
})

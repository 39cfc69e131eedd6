import { expect, it } from 'vitest'
import { describeSkipped, type OptionalProgram, optionalPrograms } from './optional-programs.ts'

const getProgram = (name: string) => optionalPrograms.find((program) => program.name === name) as OptionalProgram

it('the message about missing programs says which tests are skipped, and how to run them', () => {
  expect(describeSkipped(['Chromium', 'nginx', 'root'].map(getProgram))).toEqual([
    '  browser tests: Chromium is missing (apt-get install chromium, or set BELFRY_CHROMIUM to its path)',
    '  tests of the proxy nginx: nginx is missing (apt-get install nginx)',
    '  tests with other users and small disks: they need root (run the tests as root)',
  ])
  expect(describeSkipped([])).toEqual([])
})

it('Chromium counts as missing if the path in BELFRY_CHROMIUM does not exist', () => {
  const { BELFRY_CHROMIUM: original } = process.env
  process.env['BELFRY_CHROMIUM'] = '/nonexistent'
  try {
    expect(getProgram('Chromium').isAvailable()).toBe(false)
  } finally {
    if (original === undefined) delete process.env['BELFRY_CHROMIUM']
    else process.env['BELFRY_CHROMIUM'] = original
  }
})

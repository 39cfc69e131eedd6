import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { formatManPage } from '../../scripts/man-page.ts'
import { commands } from '../../src/cli/commands.ts'

const page = formatManPage('1.2.3', commands)

describe('the manual page', () => {
  it('has every command with its options, named as in an installed package', () => {
    for (const { name, options = {} } of commands) {
      expect(page).toContain(`.SS "belfry ${name.replaceAll('-', '\\-')}`)
      for (const option of Object.keys(options)) expect(page).toContain(`\\-\\-${option.replaceAll('-', '\\-')}`)
    }
    expect(page).not.toContain('npm run')
    expect(page).toContain('Belfry 1.2.3')
  })

  it.skipIf(spawnSync('groff', ['--version']).status !== 0)('has no error in its markup', () => {
    const { status, stderr } = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-z'], { input: page, encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })
})

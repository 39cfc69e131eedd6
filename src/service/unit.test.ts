import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packageFolder } from '../lib/package-folder.ts'
import { CONFIGURATION_EXIT_CODE } from '../lib/startup-error.ts'
import { renderUnit } from './unit.ts'

const options = { origin: 'Written by a test.', node: process.execPath, program: join(packageFolder, 'bin/belfry.js') }
const hasSystemdAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0

describe('the systemd unit', () => {
  it('starts the server with absolute paths and the configuration file', async () => {
    const unit = await renderUnit(packageFolder, options)
    expect(unit).toMatch(/^# Written by a test\.\n/)
    expect(unit).toContain(
      `ExecStart=${options.node} --max-semi-space-size=8 ${options.program} serve --config /etc/belfry/belfry.env\n`,
    )
    expect(unit).toContain('\nProtectHome=yes\n')
    expect(unit).not.toMatch(/\{\{|ReadWritePaths/)
  })

  it('can read a home folder and write to another data folder only if necessary', async () => {
    const unit = await renderUnit(packageFolder, { ...options, dataDir: '/srv/my data/100%', needsHome: true })
    expect(unit).toContain('\nProtectHome=read-only\n')
    expect(unit).toContain('\nReadWritePaths="/srv/my data/100%%"\nUMask')
    expect(await renderUnit(packageFolder, { ...options, dataDir: '/var/lib/belfry/data' })).not.toContain('ReadWrite')
    expect(await renderUnit(packageFolder, { ...options, dataDir: '/home/ada/belfry' })).toContain(
      '\nReadWritePaths=/home/ada/belfry\nUMask',
    )
    expect(await renderUnit(packageFolder, { ...options, dataDir: '/home/ada/belfry' })).toContain(
      '\nProtectHome=read-only\n',
    )
  })

  it('escapes what systemd would replace in a command', async () => {
    const unit = await renderUnit(packageFolder, { ...options, program: '/opt/a "b" $HOME %h/belfry.js' })
    expect(unit).toContain(' "/opt/a \\"b\\" $$HOME %%h/belfry.js" serve ')
  })

  it('does not restart a server with a wrong configuration', async () => {
    const unit = await renderUnit(packageFolder, options)
    expect(unit).toContain(`\nRestartPreventExitStatus=2 ${CONFIGURATION_EXIT_CODE}\n`)
  })

  it('is part of the npm package', () => {
    const { files } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'))
    expect(files).toEqual(expect.arrayContaining(['packaging/systemd', 'packaging/belfry.env']))
  })
})

describe.skipIf(!hasSystemdAnalyze)('systemd-analyze', () => {
  const folder = mkdtempSync(join(tmpdir(), 'belfry-unit-'))
  const path = join(folder, 'belfry.service')
  const analyze = (...args: string[]) => spawnSync('systemd-analyze', [...args, path], { encoding: 'utf8' })

  beforeAll(async () => {
    writeFileSync(path, await renderUnit(packageFolder, { ...options, dataDir: '/srv/belfry', needsHome: true }))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('finds no mistake in the unit', () => {
    const { status, stdout, stderr } = analyze('verify', '--man=no')
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
  })

  it('rates the exposure of the service below 3', () => {
    const { status, stdout } = analyze('security', '--offline=yes', '--threshold=30', '--no-pager')
    expect(stdout).toMatch(/Overall exposure level for belfry\.service: [0-2]\.\d /)
    expect(status).toBe(0)
  })
})

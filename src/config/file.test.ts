import { chownSync, lchownSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CONFIGURATION_EXIT_CODE } from '../lib/startup-error.ts'
import { findConfigFile, readConfigFile } from './file.ts'
import { settingNames } from './settings.ts'
import { explainUnknownName, listUnknownVariables } from './unknown-settings.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'belfry-config-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function listErrors(fileText: string): string[] {
  const path = join(folder, 'belfry.env')
  writeFileSync(path, fileText)
  return readConfigFile(path).errors.map((error) => error.replace(`${path}, `, ''))
}

describe('the configuration file', () => {
  it('is the one of --config, the one of BELFRY_CONFIG, or belfry.env in the working folder', () => {
    const env = { BELFRY_CONFIG: 'two.env' }
    expect(findConfigFile(env, folder, '/etc/one.env')).toBe('/etc/one.env')
    expect(findConfigFile(env, folder)).toBe(join(folder, 'two.env'))
    expect(findConfigFile({ BELFRY_CONFIG: ' ' }, folder)).toBeUndefined()
    writeFileSync(join(folder, 'belfry.env'), '')
    expect(findConfigFile({}, folder)).toBe(join(folder, 'belfry.env'))
    expect(() => findConfigFile(env, folder, '')).toThrow('--config requires a file name.')
  })

  it('is refused if it is named but missing', () => {
    const path = join(folder, 'missing.env')
    const error = (() => {
      try {
        return readConfigFile(path)
      } catch (caughtError) {
        return caughtError
      }
    })()
    expect(error).toMatchObject({
      message: `The configuration file ${path} doesn't exist.`,
      exitCode: CONFIGURATION_EXIT_CODE,
    })
    expect(() => readConfigFile(folder)).toThrow(`The configuration file ${folder} is a folder.`)
  })

  it('is refused if it is a link that leads nowhere', () => {
    const path = join(folder, 'belfry.env')
    writeFileSync(join(folder, 'file'), '')
    for (const target of ['missing', 'file/missing']) {
      symlinkSync(target, path)
      expect(findConfigFile({}, folder)).toBe(path)
      expect(() => readConfigFile(path)).toThrow(`The configuration file ${path} doesn't exist.`)
      rmSync(path)
    }
    symlinkSync('belfry.env', path)
    expect(findConfigFile({}, folder)).toBe(path)
    expect(() => readConfigFile(path)).toThrow(`The configuration file ${path} is a link that leads to itself.`)
  })

  it.skipIf(process.getuid?.() !== 0)('is refused if another user has placed it in the working folder', () => {
    const path = join(folder, 'belfry.env')
    writeFileSync(path, '')
    chownSync(path, 65_534, 65_534)
    expect(() => findConfigFile({}, folder)).toThrow(`${path} belongs to another user`)
    expect(findConfigFile({}, folder, 'belfry.env')).toBe(path)
    rmSync(path)
    writeFileSync(join(folder, 'other.env'), '')
    symlinkSync('other.env', path)
    lchownSync(path, 65_534, 65_534)
    expect(() => findConfigFile({}, folder)).toThrow(`${path} belongs to another user`)
    // The owner of the folder could lead root to files of others, for example with BELFRY_DATA.
    chownSync(folder, 65_534, 65_534)
    expect(() => findConfigFile({}, folder)).toThrow(`${path} belongs to another user`)
  })

  it('has errors that name their lines, in order', () => {
    expect(listErrors('PORT=1\nhush\nPORT=2\nBELFRY_SMTPURL=hush\nBELFRY_SECRET="hush')).toEqual([
      'line 2: expected NAME=value',
      'line 3: PORT is already set in line 1',
      'line 4: BELFRY_SMTPURL is not a Belfry setting. Did you mean BELFRY_SMTP_URL?',
      'line 5: the quote is not closed on the same line',
    ])
  })

  it('must not have a comment after a secret, because the comment may be part of the secret', () => {
    expect(listErrors('PORT=1 # web\nBELFRY_ADMIN_PASSWORD=correct #horse')).toEqual([
      expect.stringMatching(/^line 2: BELFRY_ADMIN_PASSWORD is followed by a comment\..* put the value in quotes/),
    ])
    expect(listErrors('BELFRY_ADMIN_PASSWORD="correct #horse" # of the admin')).toEqual([])
  })

  it('accepts every setting, but not the settings of other programs', () => {
    expect(listErrors(settingNames.map((name) => `${name}=`).join('\n'))).toEqual([])
    expect(listErrors('NODE_OPTIONS=')[0]).toMatch(/^line 1: NODE_OPTIONS is not a Belfry setting\. .*config --help/)
    expect(listErrors('BELFRY_CONFIG=x')[0]).toContain('Set it in the environment, or use --config.')
  })

  it('has no errors that repeat an unknown name, which may be a line of a long secret', () => {
    expect(listErrors('MIIEvQIBADANBgkqhkiG9w0BAQEF=')[0]).toMatch(/^line 1: The name is not a Belfry setting\./)
  })
})

describe('a name that is not a setting', () => {
  it.each([
    ['BELFRY_PORT', 'PORT'],
    ['BELFRY_HOST', 'HOST'],
    ['BELFRY_DATABASE_URL', 'DATABASE_URL'],
    ['BELFRY_DATABASE_URL_FILE', 'DATABASE_URL_FILE'],
    ['SMTP_URL', 'BELFRY_SMTP_URL'],
    ['BELFRY_SMTP', 'BELFRY_SMTP_URL'],
    ['BELFRY_RATELIMIT', 'BELFRY_RATE_LIMIT'],
    ['BELFRY_SECRTE', 'BELFRY_SECRET'],
    ['BELFRY_SECRETFILE', 'BELFRY_SECRET_FILE'],
    ['BELFRY_TIMEZONE', 'BELFRY_TIME_ZONE'],
    ['BELFRY_LOG_LEVEL', 'BELFRY_LOG'],
    ['BELFRY_PROXIES', undefined],
    ['belfry_url', 'BELFRY_URL'],
    ['port', 'PORT'],
    ['DATABSE_URL', 'DATABASE_URL'],
  ])('%s probably means %s', (name, meantName) => {
    expect(explainUnknownName(name)).toMatch(
      meantName === undefined ? /lists all settings\.$/ : new RegExp(`^Did you mean ${meantName}\\?$`),
    )
  })

  it('may end with _FILE only for secrets', () => {
    expect(explainUnknownName('BELFRY_URL_FILE')).toMatch(
      /^Set BELFRY_URL instead: only secrets can be in files of their own \(DATABASE_URL, BELFRY_SECRET, .*\)\.$/,
    )
  })

  it('is reported in the environment only if it begins with BELFRY_', () => {
    const env = { BELFRY_RATELIMIT: '1', BELFRY_CONFIG: 'x', BELFRY_SECRET_FILE: 'x', PATH: '/bin', PORT_FILE: 'x' }
    expect(listUnknownVariables(env)).toEqual(['BELFRY_RATELIMIT'])
  })

  it('is not reported if Kubernetes sets it for a Service with the name belfry', () => {
    expect(
      listUnknownVariables({
        BELFRY_SERVICE_HOST: '10.0.0.1',
        BELFRY_SERVICE_PORT_HTTP: '80',
        BELFRY_WEB_PORT: 'tcp://10.0.0.1:80',
        BELFRY_PORT: 'tcp://10.0.0.1:80',
        BELFRY_PORT_80_TCP_ADDR: '10.0.0.1',
      }),
    ).toEqual([])
    expect(listUnknownVariables({ BELFRY_PORT: '80' })).toEqual(['BELFRY_PORT'])
  })
})

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { collectSettings } from './collect-settings.ts'
import { parseConfig } from './config.ts'
import type { Environment } from './settings.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'belfry-config-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function writeFile(name: string, content: string | Uint8Array, mode = 0o600): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  chmodSync(path, mode)
  return path
}

const collect = (env: Environment, fileText?: string) =>
  collectSettings(env, {
    workingFolder: folder,
    configFile: fileText === undefined ? undefined : writeFile('belfry.env', fileText),
  })
const readOrigin = (env: Environment, fileText?: string) =>
  collect(env, fileText).values.get('BELFRY_METRICS_TOKEN')?.origin

const token = 'a token of 22 letters.'

describe('a setting', () => {
  it('comes from the environment, else from the configuration file, else it has its default', () => {
    const fileText = 'PORT=1\nHOST=::1\n\nBELFRY_LOG='
    const settings = collect({ PORT: '2' }, fileText)
    expect(Object.fromEntries(settings.values)).toEqual({
      PORT: { text: '2', origin: 'environment' },
      HOST: { text: '::1', origin: `${join(folder, 'belfry.env')}, line 2` },
    })
    expect(parseConfig(settings)).toMatchObject({ port: 2, host: '::1', logLevel: 'info' })
  })

  it('that is empty counts as not set, in the environment and in the file', () => {
    expect(parseConfig(collect({ PORT: '', HOST: ' ' }, 'PORT=80\nHOST=""'))).toMatchObject({
      port: 80,
      host: '127.0.0.1',
    })
  })

  it('that is a path is relative to the working folder, wherever it is set', () => {
    expect(parseConfig(collect({ BELFRY_GEO_DB: 'city.mmdb' }, 'BELFRY_DATA=../other'))).toMatchObject({
      dataDir: join(folder, '../other'),
      geoDb: join(folder, 'city.mmdb'),
    })
    expect(parseConfig(collect({})).dataDir).toBe(join(folder, 'data'))
  })
})

describe('a secret', () => {
  it.each([
    [`${token}`, token],
    [`${token}\n`, token],
    [`\u{feff}${token}\r\n`, token],
    [` ${token} \n`, token],
  ])('can be in a file of its own: %j', (content, text) => {
    writeFile('token', content)
    const settings = collect({ BELFRY_METRICS_TOKEN_FILE: 'token' })
    expect(settings.values.get('BELFRY_METRICS_TOKEN')).toEqual({
      text,
      origin: `${join(folder, 'token')} (BELFRY_METRICS_TOKEN_FILE)`,
    })
    expect(settings).toMatchObject({ errors: [], warnings: [], files: [join(folder, 'token')] })
  })

  it('keeps spaces that belong to it, but not the last line break', () => {
    writeFile('password', ' correct horse \n')
    const settings = collect({ BELFRY_ADMIN_PASSWORD_FILE: 'password', BELFRY_ADMIN_EMAIL: 'ada@example.com' })
    expect(parseConfig(settings).admin?.password).toBe(' correct horse ')
  })

  it('comes from the environment, else from a file that the environment names, else from the configuration file', () => {
    const path = writeFile('token', token)
    const [text, file] = [`BELFRY_METRICS_TOKEN=${token}`, `BELFRY_METRICS_TOKEN_FILE=${path}`]
    const ownFile = `${path} (BELFRY_METRICS_TOKEN_FILE)`
    expect(readOrigin({ BELFRY_METRICS_TOKEN: token }, 'BELFRY_METRICS_TOKEN_FILE=/missing')).toBe('environment')
    expect(readOrigin({ BELFRY_METRICS_TOKEN_FILE: path }, text)).toBe(ownFile)
    expect(readOrigin({}, file)).toBe(ownFile)
    expect(readOrigin({}, text)).toBe(`${join(folder, 'belfry.env')}, line 1`)
  })

  it('cannot be set both as a value and as a file', () => {
    const path = writeFile('token', token)
    const env = { BELFRY_METRICS_TOKEN: token, BELFRY_METRICS_TOKEN_FILE: path }
    const message = 'BELFRY_METRICS_TOKEN and BELFRY_METRICS_TOKEN_FILE are both set'
    expect(collect(env).errors).toEqual([`${message}; set only one of them`])
    expect(collect({}, `BELFRY_METRICS_TOKEN=${token}\nBELFRY_METRICS_TOKEN_FILE=${path}`).errors).toEqual([
      `${message} (${join(folder, 'belfry.env')}, line 2); set only one of them`,
    ])
  })

  it.each([
    ['is missing', "doesn't exist", () => {}],
    ['is a folder', 'is a folder', (path: string) => mkdirSync(path)],
    ['is empty', 'is empty', (path: string) => writeFileSync(path, '\n')],
    ['is too large', 'is larger than 64 kB', (path: string) => writeFileSync(path, 'h'.repeat(64_001))],
    ['is not text', 'is not UTF-8 text', (path: string) => writeFileSync(path, new Uint8Array([255, 254, 0]))],
    ['has a NUL', 'contains a NUL character', (path: string) => writeFileSync(path, 'hush\0hush')],
  ])('whose file %s is refused', (_case, reason, create) => {
    const path = join(folder, 'secret')
    create(path)
    expect(collect({ BELFRY_SECRET_FILE: path }).errors).toEqual([`BELFRY_SECRET_FILE: ${path} ${reason}`])
  })

  it.skipIf(process.getuid?.() === 0)('whose file the user of Belfry cannot read is refused', () => {
    const path = writeFile('secret', 'hush', 0o000)
    expect(collect({ BELFRY_SECRET_FILE: path }).errors[0]).toContain("can't be read by this user")
  })

  it('whose file is refused is not reported as missing, too', () => {
    const env = { BELFRY_ADMIN_EMAIL: 'ada@example.com', BELFRY_ADMIN_PASSWORD_FILE: '/missing' }
    expect(() => parseConfig(collect(env))).toThrow(
      /^The configuration has an error:\n {2}BELFRY_ADMIN_PASSWORD_FILE: /,
    )
  })
})

describe('the warning about secrets that other users can read', () => {
  it.each([
    ['BELFRY_SECRET=x', 0o644, true],
    ['BELFRY_SECRET=x', 0o640, false],
    ['BELFRY_SECRET=', 0o644, false],
    ['BELFRY_SECRET_FILE=/run/secret', 0o644, false],
    ['PORT=80', 0o644, false],
  ])('appears for a configuration file with %j and mode %o: %j', (fileText, mode, isReported) => {
    const configFile = writeFile('belfry.env', fileText, mode)
    const { warnings } = collectSettings({}, { workingFolder: folder, configFile })
    expect(warnings).toEqual(
      isReported
        ? [
            {
              text: `Every user of this machine can read the secrets in ${configFile}.`,
              remedy: `Run \`chmod o-rwx ${configFile}\`.`,
            },
          ]
        : [],
    )
  })
})

/** Compares the documentation and packaging/belfry.env with the table of settings, and looks for secrets in messages. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { packageFolder } from '../lib/package-folder.ts'
import { StartupError } from '../lib/startup-error.ts'
import { seededRandom } from '../traffic/demo/random.ts'
import { collectSettings } from './collect-settings.ts'
import { parseConfig } from './config.ts'
import { formatSettingText } from './hide-secrets.ts'
import { getSetting, isSettingName, secretNames, settingNames } from './settings.ts'
import { parseSettingsFile } from './settings-file.ts'

const readProjectFile = (path: string) => readFileSync(join(packageFolder, path), 'utf8')

describe('the documentation', () => {
  it('has every setting with its default, and no others', () => {
    const [, section = ''] = readProjectFile('docs/configure.md').split('## All settings\n')
    const rows = [...section.matchAll(/^\| (`[A-Z].*?`) \| (.*?) \|/gm)]
    const documentedDefaults = rows.flatMap(([, names = '', defaults = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => [name, defaults.replaceAll('`', '')]),
    )
    expect(Object.fromEntries(documentedDefaults)).toEqual(
      Object.fromEntries(
        settingNames.map((name) => [name, getSetting(name).default ?? getSetting(name).unsetMeaning ?? 'none']),
      ),
    )
  })
})

describe('the example packaging/belfry.env', () => {
  const text = readProjectFile('packaging/belfry.env')

  it('sets only the address and the data folder', () => {
    expect(parseSettingsFile(text)).toMatchObject({
      entries: [
        { name: 'HOST', text: '127.0.0.1' },
        { name: 'PORT', text: '3000' },
        { name: 'BELFRY_DATA', text: '/var/lib/belfry' },
      ],
      errors: [],
    })
  })

  it('has every setting once, with a valid value that is the default if there is one', () => {
    const { entries, errors } = parseSettingsFile(text.replaceAll(/^#(?=[A-Z])/gm, ''))
    expect(errors).toEqual([])
    expect(entries.map(({ name }) => name).sort()).toEqual([...settingNames].sort())
    const config = parseConfig(collectSettings(Object.fromEntries(entries.map((entry) => [entry.name, entry.text]))))
    expect(config.mail?.from).toBe('Belfry <belfry@example.com>')
    for (const { name, text: value } of entries) {
      const defaultText = isSettingName(name) ? getSetting(name).default : undefined
      if (name !== 'BELFRY_DATA' && defaultText !== undefined) expect([name, value]).toEqual([name, defaultText])
    }
  })
})

describe('secrets', () => {
  const canary = 'Hush7Canary'
  const wrongTexts = [
    canary,
    `mysql://ada:${canary}@db/belfry`,
    `postgres://ada:${canary}`,
    `postgres://ada:${canary}@db:99999/belfry`,
    `postgres://ada:1/${canary}@db/belfry`,
    `postgres://ada:99999?${canary}@db/belfry`,
    `postgres://ada:%${canary}@db/belfry`,
    `postgres://ada@db/belfry?password=${canary}&sslmode=never`,
    `smtp://ada:%${canary}@mail.example.com`,
    `smtp://ada:${canary}@`,
    `https://ada:${canary}@sms.example.com/`,
    `https://:${canary}@sms.example.com:99999/`,
    `"${canary}"`,
    `${canary} #${canary}`,
  ]
  const rightTexts = [
    `postgres://ada:${canary}@db/belfry?password=${canary}`,
    `smtps://ada:${canary}@mail.example.com?pass=${canary}`,
    `https://sms.example.com/?token=${canary}`,
    canary.repeat(4),
  ]
  const random = seededRandom(7)
  const choose = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T

  /** Returns everything that Belfry prints about these settings. */
  function printAll(env: Record<string, string>, configFile?: string): string {
    try {
      const collectedSettings = collectSettings(env, { workingFolder: '/', configFile })
      const warnings = JSON.stringify(collectedSettings.warnings)
      parseConfig(collectedSettings)
      return (
        warnings + [...collectedSettings.values].map(([name, { text }]) => formatSettingText(name, text)).join('\n')
      )
    } catch (error) {
      if (!(error instanceof StartupError)) throw error
      return `${error.message} ${error.hint}`
    }
  }

  it.each(secretNames)('in %s are never printed, whether the setting is valid or not', (name) => {
    for (const text of [...wrongTexts, ...rightTexts]) expect(printAll({ [name]: text })).not.toContain(canary)
  })

  it('in URLs that other settings refuse are not printed either', () => {
    for (const name of ['BELFRY_URL', 'BELFRY_TELEGRAM_API', 'BELFRY_RDAP_URL']) {
      for (const text of [
        `https://ada:${canary}@host:99999/`,
        `https://:${canary}@host/`,
        `https://h/?key=${canary}`,
      ]) {
        expect(printAll({ [name]: text })).toContain(`${name}: must be an http or https URL`)
        expect(printAll({ [name]: text })).not.toContain(canary)
      }
    }
  })

  it('in damaged configuration files are never printed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'belfry-config-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'belfry.env')
    const damages = ['', '', '"', "'", '\\', '\n', '\r\n', ' #', '=', '\0', ' export ']
    for (let round = 0; round < 100; round++) {
      const lines = Array.from({ length: 4 }, () => {
        const line = `${choose(secretNames)}${choose(['', '', '_FILE'])}=${choose([...wrongTexts, ...rightTexts])}`
        const position = Math.floor(random() * line.length)
        return line.slice(0, position) + choose(damages) + line.slice(position)
      })
      // The paths of files are printed, and are not secret.
      writeFileSync(path, lines.join('\n').replaceAll(/(_FILE=).*/g, '$1/missing'))
      expect(printAll({}, path)).not.toContain(canary)
    }
  })
})

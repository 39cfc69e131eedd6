import { type CollectedSettings, findSettingText } from '../config/collect-settings.ts'
import { formatSettingText } from '../config/hide-secrets.ts'
import { getSetting, type SettingName, secretNames, settingNames } from '../config/settings.ts'
import { toVisibleLine } from '../lib/text.ts'
import { readSettingsCopy } from '../server-settings/settings-copy.ts'
import type { Command, Invocation } from './common/command.ts'
import { formatTable } from './common/table.ts'

const MAX_SAVED_LENGTH = 500

type SavedTexts = Partial<Record<SettingName, string>>

/** What an admin saved on a page. It applies only where the environment and the configuration file set nothing. */
function readSavedTexts({ config, switchToOwner }: Invocation): SavedTexts {
  try {
    switchToOwner()
  } catch {
    // The data folder is not safe to use as root. Commands that need it say why.
    return {}
  }
  const { url, mailServer, mailFrom, issuer, clientId } = readSettingsCopy(config.dataDir)
  return {
    ...(config.url === undefined && url !== undefined && { BELFRY_URL: url }),
    ...(config.mail === undefined &&
      mailServer &&
      mailFrom && { BELFRY_SMTP_URL: mailServer, BELFRY_MAIL_FROM: mailFrom }),
    ...(config.singleSignOn === undefined &&
      issuer &&
      clientId && { BELFRY_OIDC_ISSUER: issuer, BELFRY_OIDC_CLIENT_ID: clientId }),
  }
}

function formatRow(settings: CollectedSettings, name: SettingName, savedTexts: SavedTexts): string[] {
  const { unsetMeaning } = getSetting(name)
  const text = findSettingText(settings, name)
  const savedText = savedTexts[name]
  if (savedText !== undefined) return [name, toVisibleLine(savedText, MAX_SAVED_LENGTH), 'server settings']
  if (text === undefined) return [name, unsetMeaning === undefined ? '(not set)' : `(not set: ${unsetMeaning})`, '']
  return [name, formatSettingText(name, text), settings.values.get(name)?.origin ?? 'default']
}

function formatSettingList(): string {
  const width = Math.max(...settingNames.map((name) => name.length))
  return settingNames.map((name) => `  ${name.padEnd(width)}  ${getSetting(name).description}`).join('\n')
}

/** Wrong settings stop every command before `run`, so `run` prints only valid ones. */
export const showConfig: Command = {
  name: 'config',
  summary: 'show all settings and where they come from, without secrets',
  usage: 'config [--check]',
  details: [
    '  --check  check the settings without printing them; exits with 0 if there is no error',
    '',
    '  Belfry reads settings from the environment and from one configuration file: the one that --config names, else the one',
    '  that BELFRY_CONFIG names, else belfry.env in the working folder. If both have a setting, the environment applies.',
    '  If neither sets the public URL, the mail server or single sign-on, what an admin saved under Account → Server settings applies.',
    '',
    formatSettingList(),
    '',
    '  A secret can be in a file of its own. Set one of these to the path of the file, instead of the secret itself:',
    ...secretNames.map((name) => `    ${name}_FILE`),
  ].join('\n'),
  options: { check: { type: 'boolean' } },
  switchesToOwner: 'later',
  async run(invocation) {
    const { settings, options, out, note } = invocation
    for (const { text, remedy } of settings.warnings) note(`${text} ${remedy}`)
    const { configFile } = settings
    if (options['check']) {
      out(configFile === undefined ? 'The configuration is valid.' : `The configuration is valid (${configFile}).`)
      return 0
    }
    out(configFile === undefined ? 'No configuration file is in use.' : `The configuration file is ${configFile}.`)
    out('')
    const savedTexts = readSavedTexts(invocation)
    out(
      formatTable(
        ['SETTING', 'VALUE', 'FROM'],
        settingNames.map((name) => formatRow(settings, name, savedTexts)),
      ),
    )
    return 0
  },
}

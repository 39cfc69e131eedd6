/** Collects all settings, not yet parsed, from the environment, the configuration file and the secret files. */
import { resolve } from 'node:path'
import { type ConfigFile, formatLine, readConfigFile } from './file.ts'
import { readTextFile } from './read-text-file.ts'
import { type Environment, getSetting, type SettingName, settingNames } from './settings.ts'
import { explainUnknownName, listUnknownVariables, toFileVariable } from './unknown-settings.ts'

export interface CollectedSetting {
  /** If the setting is a path, this is the absolute path. */
  text: string
  /** Where the setting is set: `environment`, `<path>, line 3`, or `<path> (BELFRY_SECRET_FILE)`. */
  origin: string
}

export interface CollectedSettings {
  /** The absolute path of the configuration file. */
  readonly configFile: string | undefined
  /** The settings that are set. */
  readonly values: ReadonlyMap<SettingName, CollectedSetting>
  /** The paths of the configuration file and of the secret files that are in use. */
  readonly files: readonly string[]
  readonly warnings: readonly { text: string; remedy: string }[]
  readonly errors: readonly string[]
  /** Relative paths are resolved against this folder. */
  readonly workingFolder: string
  /** NOTIFY_SOCKET, which systemd sets for the server that it starts. It is not a setting. */
  readonly notifySocket: string | undefined
}

interface Source {
  find(name: string): string | undefined
  /** Says where the setting is set. */
  describe(name: string): string
}

export const ENVIRONMENT_ORIGIN = 'environment'

const noFile: ConfigFile = { entries: new Map(), errors: [], exposesSecrets: false }

/** The environment overrides the configuration file. An empty value counts as not set. */
export function collectSettings(
  env: Environment,
  { workingFolder = process.cwd(), configFile }: { workingFolder?: string; configFile?: string | undefined } = {},
): CollectedSettings {
  const file = configFile === undefined ? noFile : readConfigFile(configFile)
  const sources: Source[] = [
    { find: (name) => env[name], describe: () => ENVIRONMENT_ORIGIN },
    {
      find: (name) => file.entries.get(name)?.text,
      describe: (name) => formatLine(configFile ?? '', file.entries.get(name)?.line ?? 0),
    },
  ]
  const values = new Map<SettingName, CollectedSetting>()
  const files = configFile === undefined ? [] : [configFile]
  const errors = [...file.errors]
  for (const name of settingNames) {
    const source = sources.find((source) => isSet(source, name) || isSetByFile(source, name))
    if (source === undefined) continue
    try {
      const setting = isSetByFile(source, name) ? readSecret(source, name, workingFolder) : readText(source, name)
      if (setting.file !== undefined) files.push(setting.file)
      values.set(name, { text: normalize(name, setting.text, workingFolder), origin: setting.origin })
    } catch (error) {
      errors.push((error as Error).message)
    }
  }
  const warnings = listUnknownVariables(env).map((name) => ({
    text: `Unknown setting: ${name}.`,
    remedy: explainUnknownName(name),
  }))
  if (file.exposesSecrets) {
    warnings.push({
      text: `Every user of this machine can read the secrets in ${configFile}.`,
      remedy: `Run \`chmod o-rwx ${configFile}\`.`,
    })
  }
  return { configFile, values, files, warnings, errors, workingFolder, notifySocket: env['NOTIFY_SOCKET'] || undefined }
}

const isSet = ({ find }: Source, name: string) => (find(name) ?? '').trim() !== ''

const isSetByFile = (source: Source, name: SettingName) =>
  getSetting(name).secret !== undefined && isSet(source, toFileVariable(name))

interface FoundSetting extends CollectedSetting {
  /** The path of the file that contains only this secret. */
  file?: string
}

function readText(source: Source, name: SettingName): FoundSetting {
  return { text: source.find(name) ?? '', origin: source.describe(name) }
}

function readSecret(source: Source, name: SettingName, workingFolder: string): FoundSetting {
  const fileVariable = toFileVariable(name)
  const place = formatPlace(source.describe(fileVariable))
  if (isSet(source, name)) throw new Error(`${name} and ${fileVariable} are both set${place}; set only one of them`)
  const path = resolve(workingFolder, source.find(fileVariable)?.trim() ?? '')
  try {
    const text = readTextFile(path).text.replace(/\r?\n$/, '')
    if (text.trim() === '') throw new Error('is empty')
    if (text.includes('\0')) throw new Error('contains a NUL character')
    return { text, origin: `${path} (${fileVariable})`, file: path }
  } catch (error) {
    throw new Error(`${fileVariable}: ${path} ${(error as Error).message}${place}`)
  }
}

/**
 * Returns where a setting is set, as a suffix for messages. The suffix is empty for the environment, where people look
 * first.
 */
export function formatPlace(origin: string): string {
  return origin === ENVIRONMENT_ORIGIN ? '' : ` (${origin})`
}

/** Returns the text that applies: the one that is set, or the default. */
export function findSettingText({ values, workingFolder }: CollectedSettings, name: SettingName): string | undefined {
  const { default: defaultText } = getSetting(name)
  return values.get(name)?.text ?? (defaultText && normalize(name, defaultText, workingFolder))
}

function normalize(name: SettingName, text: string, workingFolder: string): string {
  const { isPath, keepsSpaces } = getSetting(name)
  if (isPath) return resolve(workingFolder, text.trim())
  return keepsSpaces ? text : text.trim()
}

/** Finds names that are not settings, and suggests the settings that were probably meant. */
import { findClosest } from '../lib/closest.ts'
import { formatCommand } from '../lib/program.ts'
import { type Environment, isSettingName, type SettingName, secretNames, settingNames } from './settings.ts'

/** The environment variable with the path of the configuration file. It can't be in that file. */
export const CONFIG_FILE_VARIABLE = 'BELFRY_CONFIG'

/** People may try these names because other programs have settings with such names. */
const otherNames: Record<string, SettingName> = {
  BELFRY_BASE_URL: 'BELFRY_URL',
  BELFRY_PUBLIC_URL: 'BELFRY_URL',
  BELFRY_DATA_DIR: 'BELFRY_DATA',
  BELFRY_LOG_LEVEL: 'BELFRY_LOG',
  BELFRY_SECRET_KEY: 'BELFRY_SECRET',
  BELFRY_TZ: 'BELFRY_TIME_ZONE',
  BELFRY_LISTEN: 'HOST',
  BELFRY_ADDRESS: 'HOST',
  BELFRY_DB_URL: 'DATABASE_URL',
  BELFRY_POSTGRES_URL: 'DATABASE_URL',
  BELFRY_SMTP_FROM: 'BELFRY_MAIL_FROM',
}

/** Kubernetes sets these variables for a Service whose name begins with "belfry". They are not misspelled settings. */
const serviceLinkPattern =
  /^BELFRY(_\w+)?_(SERVICE_(HOST|PORT)(_\w+)?=|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?=|PORT=(tcp|udp|sctp):)/

const fileSuffix = '_FILE'

/** Returns BELFRY_SECRET for BELFRY_SECRET_FILE. Only secrets can be in files of their own. */
function findSecretOfFile(name: string): SettingName | undefined {
  return secretNames.find((secretName) => name === secretName + fileSuffix)
}

/** Returns BELFRY_SECRET_FILE for BELFRY_SECRET. */
export const toFileVariable = (name: SettingName) => name + fileSuffix

export function isKnownName(name: string): boolean {
  return isSettingName(name) || findSecretOfFile(name) !== undefined
}

/** The environment also has the variables of other programs, so this lists only unknown names that begin with BELFRY_. */
export function listUnknownVariables(env: Environment): string[] {
  return Object.entries(env)
    .filter(
      ([name, text]) =>
        name.startsWith('BELFRY_') &&
        name !== CONFIG_FILE_VARIABLE &&
        !isKnownName(name) &&
        !serviceLinkPattern.test(`${name}=${text}`),
    )
    .map(([name]) => name)
}

/** Returns a sentence that says what to do about the name. */
export function explainUnknownName(name: string): string {
  if (name === CONFIG_FILE_VARIABLE) return 'Set it in the environment, or use --config.'
  const settingOfFile = name.endsWith(fileSuffix) ? name.slice(0, -fileSuffix.length) : ''
  if (isSettingName(settingOfFile)) {
    return `Set ${settingOfFile} instead: only secrets can be in files of their own (${secretNames.join(', ')}).`
  }
  const suggestion = findMeantName(name)
  return suggestion === undefined
    ? `\`${formatCommand('config --help')}\` lists all settings.`
    : `Did you mean ${suggestion}?`
}

export function findMeantName(name: string): string | undefined {
  const upperName = name.toUpperCase()
  const [withPrefix, withoutPrefix] = [`BELFRY_${upperName}`, upperName.replace(/^BELFRY_/, '')]
  const sameName = [upperName, withPrefix, withoutPrefix].find(isKnownName)
  if (sameName !== undefined) return sameName
  const intendedName = otherNames[upperName] ?? otherNames[withPrefix] ?? findLongerName(upperName)
  // Only the part after BELFRY_ is compared. With the long common prefix, BELFRY_X would be close to every short name.
  return intendedName ?? findClosestName(withoutPrefix)
}

/** Completes a name such as BELFRY_SMTP if exactly one setting begins with it. */
function findLongerName(name: string): SettingName | undefined {
  const longerNames = settingNames.filter((settingName) => settingName.startsWith(`${name}_`))
  return longerNames.length === 1 ? longerNames[0] : undefined
}

function findClosestName(partAfterPrefix: string): string | undefined {
  const names = [...settingNames, ...secretNames.map(toFileVariable)]
  const parts = names.map((name) => name.replace(/^BELFRY_/, ''))
  const closestPart = findClosest(partAfterPrefix, parts)
  return closestPart === undefined ? undefined : names[parts.indexOf(closestPart)]
}

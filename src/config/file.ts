/** Finds and reads the configuration file. */
import { lstatSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ConfigurationError } from '../lib/startup-error.ts'
import { readTextFile } from './read-text-file.ts'
import { type Environment, getSetting, isSettingName } from './settings.ts'
import { type FileEntry, parseSettingsFile } from './settings-file.ts'
import { CONFIG_FILE_VARIABLE, explainUnknownName, findMeantName, isKnownName } from './unknown-settings.ts'

const DEFAULT_CONFIG_FILE = 'belfry.env'

export interface ConfigFile {
  entries: ReadonlyMap<string, FileEntry>
  /** Each is a sentence that names the file and the line. */
  errors: string[]
  /** Whether the file contains a secret that every user of this machine can read. */
  exposesSecrets: boolean
}

/**
 * Returns the absolute path of the configuration file: the one that `--config` names, the one that BELFRY_CONFIG names, or
 * `belfry.env` in the working folder. Returns undefined if none is named and the working folder has none.
 */
export function findConfigFile(env: Environment, workingFolder: string, option?: string): string | undefined {
  const namedFile = option ?? (env[CONFIG_FILE_VARIABLE]?.trim() || undefined)
  if (namedFile === '') throw new ConfigurationError('--config requires a file name.', 'Use --config <file>.')
  if (namedFile !== undefined) return resolve(workingFolder, namedFile)
  const path = join(workingFolder, DEFAULT_CONFIG_FILE)
  const owners = listOwners(path)
  if (owners.length === 0) return undefined
  // In a folder such as /tmp, another user could have placed the file. Root trusts nobody else, not even the owner of the folder: in the
  // data folder, the settings of the user who runs the server could lead root to any other folder.
  const userId = process.getuid?.()
  const trustedOwners = userId === 0 ? [0] : [0, userId, statSync(workingFolder).uid]
  if (process.getuid !== undefined && owners.some((owner) => !trustedOwners.includes(owner))) {
    throw new ConfigurationError(
      `${path} belongs to another user, who could change Belfry's settings with it.`,
      `If you trust the file, name it: --config ${DEFAULT_CONFIG_FILE}. Otherwise run Belfry in another folder.`,
    )
  }
  return path
}

/**
 * Returns the owners of the file and of the link that leads to it. The list is empty if there is no file, or if this
 * user can't enter the folder, such as another user's container volume. For a link without a target, it contains the
 * owner of the link, so that the link is not ignored silently.
 */
function listOwners(path: string): number[] {
  const owners: number[] = []
  for (const readStats of [lstatSync, statSync]) {
    try {
      owners.push(readStats(path).uid)
    } catch (error) {
      if (!['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
  }
  return owners
}

export const formatLine = (path: string, line: number) => `${path}, line ${line}`

/** Throws a ConfigurationError if the file can't be read. */
export function readConfigFile(path: string): ConfigFile {
  const { text, isPublic } = readNamedFile(path)
  const { entries, errors } = parseSettingsFile(text)
  const entriesByName = new Map<string, FileEntry>()
  const addError = (line: number, message: string) => errors.push({ line, message })
  for (const entry of entries) {
    const { name, line } = entry
    const earlierEntry = entriesByName.get(name)
    if (earlierEntry !== undefined) addError(line, `${name} is already set in line ${earlierEntry.line}`)
    else if (!isKnownName(name)) addError(line, `${describeUnknownName(name)} ${explainUnknownName(name)}`)
    else if (entry.hasComment && isSecret(name)) addError(line, describeAmbiguousComment(name))
    entriesByName.set(name, earlierEntry ?? entry)
  }
  return {
    entries: entriesByName,
    errors: errors.sort((a, b) => a.line - b.line).map(({ line, message }) => `${formatLine(path, line)}: ${message}`),
    exposesSecrets: isPublic && entries.some(({ name, text }) => isSecret(name) && text !== ''),
  }
}

function readNamedFile(path: string) {
  try {
    return readTextFile(path)
  } catch (error) {
    throw new ConfigurationError(
      `The configuration file ${path} ${(error as Error).message}.`,
      `Correct the path in --config or ${CONFIG_FILE_VARIABLE}, or fix the file.`,
      { cause: error },
    )
  }
}

const isSecret = (name: string) => isSettingName(name) && getSetting(name).secret !== undefined

/** An unknown name may be part of a secret with several lines, so the message repeats only names that look like settings. */
function describeUnknownName(name: string): string {
  const looksLikeSetting = /^[A-Z][A-Z0-9_]{0,63}$/.test(name) || findMeantName(name) !== undefined
  return looksLikeSetting ? `${name} is not a Belfry setting.` : 'The name is not a Belfry setting.'
}

function describeAmbiguousComment(name: string): string {
  return `${name} is followed by a comment. If the "#" is part of the value, put the value in quotes. Otherwise move the comment to a line of its own.`
}

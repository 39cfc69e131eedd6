/** How this server runs, which decides where its settings are and which commands people type. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { packageFolder } from '../lib/package-folder.ts'

export const deploymentKinds = ['container', 'kubernetes', 'service', 'program'] as const

export interface Deployment {
  kind: (typeof deploymentKinds)[number]
  /** The absolute path of the configuration file that is in use. */
  configFile: string | undefined
  program: ProgramPaths
}

/** Absolute paths, with which a command works in every folder and environment. */
export interface ProgramPaths {
  /** The folder in which the server was started. Settings can contain paths that are relative to it. */
  folder: string
  dataDir: string
  node: string
  /** The script that runs commands. */
  script: string
}

/** Our container image has this file. */
const CONTAINER_FILE = '/opt/belfry-container/entrypoint.sh'
const KUBERNETES_FOLDER = '/var/run/secrets/kubernetes.io'

export function findDeployment({
  configFile: namedFile,
  dataDir,
  notifySocket,
}: Pick<Config, 'configFile' | 'dataDir' | 'notifySocket'>): Deployment {
  // `--config /dev/null` means that no file is used.
  const configFile = namedFile === '/dev/null' ? undefined : namedFile
  const program = {
    folder: process.cwd(),
    dataDir: resolve(dataDir),
    node: process.execPath,
    script: join(packageFolder, 'bin', 'belfry.js'),
  }
  if (existsSync(CONTAINER_FILE))
    return { kind: existsSync(KUBERNETES_FOLDER) ? 'kubernetes' : 'container', configFile, program }
  return { kind: notifySocket === undefined ? 'program' : 'service', configFile, program }
}

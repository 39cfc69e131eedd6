/** How this server runs, which decides where its settings are and which commands people type. */
import { existsSync } from 'node:fs'
import type { Config } from '../config/config.ts'

export const deploymentKinds = ['container', 'kubernetes', 'service', 'program'] as const

export interface Deployment {
  kind: (typeof deploymentKinds)[number]
  /** The absolute path of the configuration file that is in use. */
  configFile: string | undefined
}

/** Our container image has this file. */
const CONTAINER_FILE = '/opt/belfry-container/entrypoint.sh'
const KUBERNETES_FOLDER = '/var/run/secrets/kubernetes.io'

export function findDeployment({
  configFile: namedFile,
  notifySocket,
}: Pick<Config, 'configFile' | 'notifySocket'>): Deployment {
  // `--config /dev/null` means that no file is used.
  const configFile = namedFile === '/dev/null' ? undefined : namedFile
  if (existsSync(CONTAINER_FILE))
    return { kind: existsSync(KUBERNETES_FOLDER) ? 'kubernetes' : 'container', configFile }
  return { kind: notifySocket === undefined ? 'program' : 'service', configFile }
}

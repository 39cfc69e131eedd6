/** Checks the settings, and says where they come from. */
import type { CollectedSettings } from '../../config/collect-settings.ts'
import { listDifferences, type ProcessSettings } from '../../config/server-process.ts'
import { type DoctorDiagnosis, ok, warning } from './diagnosis.ts'

/** `ownSettings` are the settings of this command. */
export function describeSettingsSource(server: ProcessSettings, ownSettings: CollectedSettings): DoctorDiagnosis[] {
  if (server.kind === 'no-server') {
    return [ok('Settings: from this shell, because no server is running with this data folder.')]
  }
  if (server.kind === 'hidden') {
    const { pid, reason } = server
    return [
      warning(
        `Settings: from this shell, because this user can't read the settings of the running server (process ${pid}).`,
        reason ?? "Run this command as root or as the server's user.",
      ),
    ]
  }
  const differences = listDifferences(server.settings, ownSettings)
  return [
    ok(`Settings: from the running server (process ${server.pid}).`),
    ...server.changedFiles.map((path) =>
      warning(`Settings: ${path} has changed since the server started.`, 'Restart the server to apply the changes.'),
    ),
    ...(differences.length === 0 ? [] : [warnAboutDifferences(differences, server.settings.configFile)]),
  ]
}

function warnAboutDifferences(differences: string[], configFile: string | undefined): DoctorDiagnosis {
  return warning(
    `Settings: this shell has other values than the server for ${differences.join(', ')}. Commands such as backup use the values of this shell.`,
    configFile === undefined
      ? 'Put the settings into a file, and start the server and commands with --config <file>.'
      : `Run commands with --config ${configFile}.`,
  )
}

/** Invalid settings stop every command before it starts, so only warnings remain to be reported. */
export function checkSettings({ configFile, warnings }: CollectedSettings): DoctorDiagnosis[] {
  return [
    ok(configFile === undefined ? 'Configuration file: none.' : `Configuration file: ${configFile}.`),
    ...(warnings.length === 0
      ? [ok('Configuration: valid.')]
      : warnings.map(({ text, remedy }) => warning(`Configuration: ${text}`, remedy))),
  ]
}

/** How people start this program. */
import { isInstalledPackage } from './package-folder.ts'

/** What people type to run a command, for example `belfry backup`. Without a command, it starts the server. */
export const formatCommand = (command?: string): string => formatCommandFor(isInstalledPackage, command)

export function formatCommandFor(isInstalled: boolean, command?: string): string {
  if (isInstalled) return command === undefined ? 'belfry' : `belfry ${command}`
  return command === undefined ? 'npm start' : `npm run belfry -- ${command}`
}

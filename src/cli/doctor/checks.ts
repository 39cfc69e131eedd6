/** What monitors need of this machine. */
import { findPingCommand } from '../../checker/probes/ping/commands.ts'
import { advice, type Finding, ok } from './finding.ts'

/** `path`: where commands are looked for; the usual folders unless said otherwise. */
export async function checkPing(path?: string): Promise<Finding[]> {
  const found = await findPingCommand(path)
  if ('unavailable' in found) {
    const [why = '', ...remedy] = found.unavailable.split('. ')
    return [advice(`Hosts cannot be pinged: ${why}.`, remedy.join('. '))]
  }
  return [ok(`Hosts can be pinged, with ${found.command}.`)]
}
